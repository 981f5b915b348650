//! From the raw file to a checked scenario. Finds every mistake in one go and says what is allowed.

use std::collections::HashSet;
use std::ops::Range;

use caveman_browse::render::PayloadKind;
use serde_spanned::Spanned;

use crate::scenario::load::Kind;
use crate::scenario::model::{Address, Budget, Door, MaxOf, Node, Scenario, Variant, ViewName};
use crate::scenario::problem::Problem;
use crate::scenario::raw::{RawNode, RawScenario, RawVariant};
use crate::scenario::steps;

/// What the checks of one file share.
pub(super) struct Checker<'a> {
    pub(super) text: &'a str,
    pub(super) there: &'a dyn Fn(&str) -> bool,
    pub(super) problems: Vec<Problem>,
}

impl Checker<'_> {
    pub(super) fn wrong(&mut self, span: Range<usize>, title: impl Into<String>, label: &str, help: impl Into<String>) {
        self.problems.push(Problem::new(span, title, label, help));
    }

    /// A text that must say something.
    pub(super) fn filled(&mut self, key: &str, text: Spanned<String>) -> String {
        if text.get_ref().trim().is_empty() {
            self.wrong(
                text.span(),
                format!("`{key}` is blank"),
                "says nothing",
                "leave the key out, or write what it is for",
            );
        }
        text.into_inner()
    }

    pub(super) fn filled_all(&mut self, key: &str, texts: Vec<Spanned<String>>) -> Vec<String> {
        texts.into_iter().map(|text| self.filled(key, text)).collect()
    }

    pub(super) fn node(&mut self, raw: RawNode) -> Node {
        Node {
            role: self.filled("role", raw.role),
            name: raw.name.into_inner(),
        }
    }

    /// At most one of the three ways to say where; more than one is a mistake.
    pub(super) fn address(
        &mut self,
        page: Option<Spanned<String>>,
        route: Option<Spanned<String>>,
        url: Option<Spanned<String>>,
    ) -> Option<Address> {
        let spans: Vec<_> = [&page, &route, &url].into_iter().flatten().map(Spanned::span).collect();
        if let [_, second, ..] = spans.as_slice() {
            self.wrong(
                second.clone(),
                "two addresses",
                "the second",
                "give one of `page`, `route` and `url`",
            );
        }
        if let Some(page) = page {
            return Some(self.page(page));
        }
        if let Some(route) = route {
            if !route.get_ref().starts_with("/x/") {
                self.wrong(
                    route.span(),
                    format!("`{}` is no route of the page server", route.get_ref()),
                    "does not begin with /x/",
                    "scenarios/FORMAT.md lists the routes; a file under fixtures/pages is a `page`",
                );
            }
            return Some(Address::Served(route.into_inner().trim_start_matches('/').to_owned()));
        }
        url.map(|url| Address::Url(url.into_inner()))
    }

    fn page(&mut self, page: Spanned<String>) -> Address {
        let span = page.span();
        let page = page.into_inner();
        let file = page.split(['?', '#']).next().unwrap_or_default();
        let inside = !file.starts_with('/')
            && file
                .split('/')
                .all(|part| !part.is_empty() && part != "." && part != "..");
        if !inside {
            self.wrong(
                span,
                format!("`{page}` is no path under fixtures/pages"),
                "leaves the directory",
                "name a file relative to fixtures/pages, with `/` between directories",
            );
        } else if !(self.there)(file) {
            self.wrong(
                span,
                format!("there is no page `{file}`"),
                "not under fixtures/pages",
                "write the page first, or correct the name",
            );
        }
        Address::Served(page)
    }
}

/// The checked scenario, or all mistakes in the order of the text.
pub(super) fn check(
    name: &str,
    kind: Kind,
    text: &str,
    raw: RawScenario,
    there: &dyn Fn(&str) -> bool,
) -> Result<Scenario, Vec<Problem>> {
    let mut checker = Checker {
        text,
        there,
        problems: Vec::new(),
    };
    let summary_span = raw.summary.span();
    let summary = checker.filled("summary", raw.summary);
    let address = checker.address(raw.page, raw.route, raw.url).unwrap_or_else(|| {
        checker.wrong(
            summary_span.clone(),
            "no address",
            "says nothing about where",
            "give one of `page`, `route` and `url`",
        );
        Address::Served(String::new())
    });
    if raw.variant.is_empty() && (kind == Kind::Bench || raw.step.is_empty()) {
        let help = match kind {
            Kind::Bench => "add a [[variant]]: what is asked of the page, and what it may cost",
            Kind::Gate => "add a [[variant]] or a [[step]]",
        };
        checker.wrong(summary_span, "nothing is asked of the page", "in this file", help);
    }
    let ready = raw.ready.map(|node| checker.node(node));
    let doors = raw.doors.map_or_else(
        || Door::ALL.map(|(door, _)| door).to_vec(),
        |doors| self::doors(&mut checker, doors),
    );
    let variants = variants(&mut checker, kind, raw.variant);
    let steps = steps::check(&mut checker, raw.step);
    let mut problems = checker.problems;
    if problems.is_empty() {
        return Ok(Scenario {
            name: name.to_owned(),
            kind,
            summary,
            address,
            ready,
            variants,
            steps,
            doors,
        });
    }
    problems.sort_by_key(|problem| problem.span.start);
    Err(problems)
}

fn doors(checker: &mut Checker<'_>, doors: Spanned<Vec<Spanned<String>>>) -> Vec<Door> {
    let allowed = Door::ALL.map(|(_, name)| format!("`{name}`")).join(", ");
    if doors.get_ref().is_empty() {
        checker.wrong(
            doors.span(),
            "`doors` is empty",
            "nothing would run",
            format!("give some of {allowed}"),
        );
    }
    let mut found = Vec::new();
    for door in doors.into_inner() {
        match Door::ALL.iter().find(|(_, name)| name == door.get_ref()) {
            Some((door, _)) if !found.contains(door) => found.push(*door),
            Some(_) => checker.wrong(
                door.span(),
                "a door twice",
                "named before",
                format!("give some of {allowed}"),
            ),
            None => checker.wrong(
                door.span(),
                format!("`{}` is no door", door.get_ref()),
                "not known",
                format!("give some of {allowed}"),
            ),
        }
    }
    found
}

fn variants(checker: &mut Checker<'_>, kind: Kind, raw: Vec<Spanned<RawVariant>>) -> Vec<Variant> {
    let names: Vec<String> = raw
        .iter()
        .map(|variant| variant.get_ref().name.get_ref().clone())
        .collect();
    let mut seen = HashSet::new();
    raw.into_iter()
        .map(|variant| {
            let span = variant.span();
            let variant = variant.into_inner();
            let name = variant.name.clone();
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.get_ref().is_empty() || !name.get_ref().chars().all(plain) {
                checker.wrong(
                    name.span(),
                    format!("`{}` is no name for a variant", name.get_ref()),
                    "names a column and a line of reports/exact.txt",
                    "use small letters, digits and `-`",
                );
            } else if !seen.insert(name.get_ref().clone()) {
                checker.wrong(
                    name.span(),
                    format!("a second variant is called `{}`", name.get_ref()),
                    "named before",
                    "give each variant of a file its own name",
                );
            }
            let budget = budget(checker, kind, &span, &names, &variant);
            let query = variant.query.map(|query| checker.filled("query", query));
            Variant {
                query,
                interactive: variant.interactive,
                view: view(checker, variant.view),
                payload: payload(checker, variant.payload),
                budget,
                keep: keep(checker, variant.keep),
                name: name.into_inner(),
            }
        })
        .collect()
}

fn budget(checker: &mut Checker<'_>, kind: Kind, whole: &Range<usize>, names: &[String], raw: &RawVariant) -> Budget {
    if kind == Kind::Bench && raw.budget.is_none() {
        checker.wrong(
            whole.clone(),
            "a variant without a budget",
            "may cost anything",
            "give `budget`: the most o200k tokens that the whole delivered text may have",
        );
    }
    let tokens = raw.budget.as_ref().and_then(|budget| {
        let tokens = usize::try_from(*budget.get_ref()).ok().filter(|tokens| *tokens > 0);
        if tokens.is_none() {
            checker.wrong(
                budget.span(),
                format!("a budget of {}", budget.get_ref()),
                "nothing could keep to it",
                "give a whole number of o200k tokens, 1 or more",
            );
        }
        tokens
    });
    let min_ratio = raw.min_ratio.as_ref().map(|ratio| {
        if !(*ratio.get_ref() > 0.0 && *ratio.get_ref() < 1.0) {
            checker.wrong(
                ratio.span(),
                format!("a ratio of {}", ratio.get_ref()),
                "is `1 - after / before`",
                "give a number above 0 and below 1",
            );
        }
        *ratio.get_ref()
    });
    let max_of = raw.max_of.as_ref().map(|bound| {
        let other = bound.variant.get_ref();
        if other == raw.name.get_ref() || !names.contains(other) {
            let others: Vec<_> = names
                .iter()
                .filter(|name| *name != raw.name.get_ref())
                .map(|name| format!("`{name}`"))
                .collect();
            checker.wrong(
                bound.variant.span(),
                format!("`{other}` is no other variant of this file"),
                "sets the bound",
                if others.is_empty() {
                    "this file has no other variant".to_owned()
                } else {
                    format!("the others are: {}", others.join(", "))
                },
            );
        }
        if !(*bound.share.get_ref() > 0.0 && *bound.share.get_ref() <= 1.0) {
            checker.wrong(
                bound.share.span(),
                format!("a share of {}", bound.share.get_ref()),
                "of the other variant's tokens",
                "give a number above 0, at most 1",
            );
        }
        MaxOf {
            variant: other.clone(),
            share: *bound.share.get_ref(),
        }
    });
    Budget {
        tokens,
        min_ratio,
        max_of,
    }
}

fn keep(checker: &mut Checker<'_>, keep: Option<Spanned<Vec<Spanned<String>>>>) -> Vec<String> {
    let Some(keep) = keep else { return Vec::new() };
    if keep.get_ref().is_empty() {
        checker.wrong(
            keep.span(),
            "`keep` is empty",
            "keeps nothing",
            "leave the key out, or name what the view must hold",
        );
    }
    checker.filled_all("keep", keep.into_inner())
}

fn view(checker: &mut Checker<'_>, view: Option<Spanned<String>>) -> ViewName {
    if let Some(view) = view
        && view.get_ref() != "classic"
    {
        checker.wrong(
            view.span(),
            format!("`{}` is no view", view.get_ref()),
            "not known",
            "give `classic`",
        );
    }
    ViewName::Classic
}

fn payload(checker: &mut Checker<'_>, payload: Option<Spanned<String>>) -> PayloadKind {
    match payload.as_ref().map(|payload| payload.get_ref().as_str()) {
        None | Some("text") => PayloadKind::Text,
        Some("json") => PayloadKind::Json,
        Some(other) => {
            let title = format!("`{other}` is no payload");
            if let Some(payload) = payload {
                checker.wrong(payload.span(), title, "not known", "give `text` or `json`");
            }
            PayloadKind::Text
        }
    }
}

/// A mistake that serde or the TOML reader found. Where the text names what was expected, that goes to the help.
pub(super) fn of_toml(text: &str, error: &toml::de::Error) -> Problem {
    let message = error.message().lines().collect::<Vec<_>>().join("; ");
    let span = error.span().unwrap_or(0..text.len());
    let (title, help) = match message.split_once(", expected ") {
        Some((title, expected)) => (
            title.replace("unknown field", "unknown key"),
            format!(
                "expected {}",
                expected.replace("i64", "a whole number").replace("f64", "a number")
            ),
        ),
        None => (
            message.replace("missing field", "missing key"),
            "scenarios/FORMAT.md explains every key".to_owned(),
        ),
    };
    Problem::new(span, title, "here", help)
}
