//! The file as it is written: serde types only, each value with its place in the text. Nothing else may read TOML.

use serde::Deserialize;
use serde_spanned::Spanned;

type Text = Spanned<String>;
type Texts = Vec<Spanned<String>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawScenario {
    pub summary: Text,
    pub page: Option<Text>,
    pub route: Option<Text>,
    pub url: Option<Text>,
    pub ready: Option<RawNode>,
    pub doors: Option<Spanned<Texts>>,
    #[serde(default)]
    pub variant: Vec<Spanned<RawVariant>>,
    #[serde(default)]
    pub step: Vec<Spanned<RawStep>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawNode {
    pub role: Text,
    pub name: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawVariant {
    pub name: Text,
    pub query: Option<Text>,
    #[serde(default)]
    pub interactive: bool,
    pub view: Option<Text>,
    pub payload: Option<Text>,
    pub budget: Option<Spanned<i64>>,
    pub min_ratio: Option<Spanned<f64>>,
    pub max_of: Option<RawMaxOf>,
    pub keep: Option<Spanned<Texts>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawMaxOf {
    pub variant: Text,
    pub share: Spanned<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawStep {
    pub snapshot: Option<RawSnapshot>,
    pub act: Option<Spanned<RawAct>>,
    pub eval: Option<Text>,
    pub recover: Option<RawRecover>,
    pub expect: Option<Spanned<RawExpect>>,
    pub fails: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSnapshot {
    pub page: Option<Text>,
    pub route: Option<Text>,
    pub url: Option<Text>,
    pub query: Option<Text>,
    #[serde(default)]
    pub interactive: bool,
    pub remember: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAct {
    pub click: Option<RawTarget>,
    #[serde(rename = "type")]
    pub type_: Option<RawTarget>,
    pub select: Option<RawTarget>,
    pub scroll: Option<RawTarget>,
    pub wait: Option<Spanned<bool>>,
    pub accept: Option<RawAnswer>,
    pub dismiss: Option<Spanned<bool>>,
    pub verb: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawAnswer {
    pub text: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawTarget {
    pub role: Option<Text>,
    pub name: Option<Text>,
    pub uid: Option<Text>,
    pub from: Option<Text>,
    pub text: Option<Text>,
    pub option: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRecover {
    pub of: Option<Text>,
    pub handle: Option<Text>,
    pub query: Option<Text>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawExpect {
    #[serde(default)]
    pub view: Texts,
    #[serde(default)]
    pub not_view: Texts,
    #[serde(default)]
    pub result: Texts,
    #[serde(default)]
    pub not_result: Texts,
    #[serde(default)]
    pub note: Texts,
}
