//! Checks a call's arguments against the catalog, before anything is touched. A refusal names the argument, what it
//! must be, its limits and what was given instead.
//!
//! Must not know what the arguments are for.

use crate::tools::Code;
use crate::tools::catalog::{Kind, MIB, Parameter, ToolSpec};
use serde_json::{Map, Value};

/// How much of a refused value is quoted, in characters.
const QUOTED: usize = 40;

/// Why the arguments of a call are refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ArgumentError {
    #[error("unknown argument {given}; {tool} takes {known}")]
    Unknown {
        tool: &'static str,
        given: String,
        known: String,
    },
    #[error("{name} is missing; {tool} needs {must}")]
    Missing {
        tool: &'static str,
        name: &'static str,
        must: String,
    },
    #[error("{name} must be {must}, not {given}")]
    Type {
        name: &'static str,
        must: String,
        given: String,
    },
    #[error("{name} is {given}; it must be {must}")]
    Range {
        name: &'static str,
        must: String,
        given: String,
    },
    #[error("{name} has {length} {unit}; at most {limit} are taken")]
    TooLong {
        name: &'static str,
        length: usize,
        limit: usize,
        unit: &'static str,
        code: Code,
    },
}

impl ArgumentError {
    pub(super) fn code(&self) -> Code {
        match self {
            Self::Unknown { .. } | Self::Missing { .. } | Self::Type { .. } | Self::Range { .. } => {
                Code::InvalidArguments
            }
            Self::TooLong { code, .. } => *code,
        }
    }
}

/// The arguments of one call: known names, right types, within their limits; an explicit `null` counts as absent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    given: Map<String, Value>,
}

impl Arguments {
    pub(super) fn check(spec: &'static ToolSpec, mut given: Map<String, Value>) -> Result<Self, ArgumentError> {
        given.retain(|_, value| !value.is_null());
        if let Some(name) = given
            .keys()
            .find(|name| spec.parameters.iter().all(|parameter| parameter.name != *name))
        {
            let known: Vec<&str> = spec.parameters.iter().map(|parameter| parameter.name).collect();
            return Err(ArgumentError::Unknown {
                tool: spec.name,
                given: quote(name),
                known: known.join(", "),
            });
        }
        for parameter in spec.parameters {
            match given.get(parameter.name) {
                None if parameter.required => {
                    let (tool, name) = (spec.name, parameter.name);
                    return Err(ArgumentError::Missing {
                        tool,
                        name,
                        must: must(parameter.kind),
                    });
                }
                None => {}
                Some(value) => check_one(parameter, value)?,
            }
        }
        Ok(Self { given })
    }

    /// A text argument.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        self.given.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// A flag; absent is false.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.given.get(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A number of milliseconds.
    pub(crate) fn milliseconds(&self, name: &str) -> Option<u32> {
        self.given
            .get(name)
            .and_then(whole)
            .and_then(|number| u32::try_from(number).ok())
    }
}

fn check_one(parameter: &Parameter, value: &Value) -> Result<(), ArgumentError> {
    let name = parameter.name;
    let wrong_type = || ArgumentError::Type {
        name,
        must: must(parameter.kind),
        given: describe(value),
    };
    let text = || value.as_str().ok_or_else(wrong_type);
    match parameter.kind {
        Kind::Bytes(limit) => at_most(name, text()?.len(), limit, "bytes", Code::InvalidArguments),
        Kind::Payload => at_most(name, text()?.len(), MIB, "bytes", Code::PayloadTooLarge),
        Kind::Characters(limit) => at_most(
            name,
            text()?.chars().count(),
            limit,
            "characters",
            Code::InvalidArguments,
        ),
        Kind::Milliseconds(limit) => match whole(value) {
            Some(number) if (0..=i64::from(limit)).contains(&number) => Ok(()),
            None if !value.is_number() || value.as_f64().is_some_and(|number| number.fract() != 0.0) => {
                Err(wrong_type())
            }
            _ => Err(ArgumentError::Range {
                name,
                must: must(parameter.kind),
                given: value.to_string(),
            }),
        },
        Kind::Flag => value.as_bool().map(drop).ok_or_else(wrong_type),
    }
}

fn at_most(
    name: &'static str,
    length: usize,
    limit: usize,
    unit: &'static str,
    code: Code,
) -> Result<(), ArgumentError> {
    if length > limit {
        return Err(ArgumentError::TooLong {
            name,
            length,
            limit,
            unit,
            code,
        });
    }
    Ok(())
}

/// The integer that a JSON number is; `5.0` is one, for clients whose numbers are all floats.
fn whole(value: &Value) -> Option<i64> {
    /// 2^53: above it a float does not say which integer was meant.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    value.as_i64().or_else(|| {
        let number = value
            .as_f64()
            .filter(|number| number.fract() == 0.0 && number.abs() < EXACT)?;
        #[allow(clippy::cast_possible_truncation)] // whole and exact, see above
        Some(number as i64)
    })
}

fn must(kind: Kind) -> String {
    match kind {
        Kind::Bytes(limit) => format!("a string of at most {limit} bytes"),
        Kind::Payload => format!("a string of at most {MIB} bytes"),
        Kind::Characters(limit) => format!("a string of at most {limit} characters"),
        Kind::Milliseconds(limit) => format!("an integer from 0 to {limit} (milliseconds)"),
        Kind::Flag => "true or false".to_owned(),
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => format!("the boolean {flag}"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(text) => format!("the string {}", quote(text)),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// A value in quotes, on one line, cut when it is long.
pub(super) fn quote(text: &str) -> String {
    let cut: String = text.chars().take(QUOTED).collect();
    let mark = if cut.len() < text.len() { "…" } else { "" };
    format!("{}{mark}", Value::String(cut))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::tools::catalog::{ACT, CATALOG, EVAL, RECOVER, SNAPSHOT};
    use serde_json::json;

    fn check(spec: &'static ToolSpec, given: Value) -> Result<Arguments, ArgumentError> {
        let Value::Object(given) = given else {
            panic!("arguments are an object")
        };
        Arguments::check(spec, given)
    }

    fn refusal(spec: &'static ToolSpec, given: Value) -> String {
        check(spec, given).unwrap_err().to_string()
    }

    #[test]
    fn right_arguments_come_through() {
        let given = json!({"url": "http://a/", "wait": 5, "query": "q", "interactive": true, "since": "s1"});
        let arguments = check(&SNAPSHOT, given).unwrap();
        assert_eq!(arguments.text("url").as_deref(), Some("http://a/"));
        assert_eq!(arguments.milliseconds("wait"), Some(5));
        assert!(arguments.flag("interactive"));
        let none = check(&SNAPSHOT, json!({})).unwrap();
        assert_eq!(
            (none.text("url"), none.milliseconds("wait"), none.flag("interactive")),
            (None, None, false)
        );
    }

    #[test]
    fn null_counts_as_absent() {
        let arguments = check(
            &SNAPSHOT,
            json!({"url": null, "wait": null, "interactive": null, "other": null}),
        )
        .unwrap();
        assert_eq!(arguments.text("url"), None);
        assert_eq!(
            refusal(&EVAL, json!({"expression": null})),
            "expression is missing; browser_eval needs a string of at most 1048576 bytes"
        );
    }

    #[test]
    fn an_unknown_argument_is_refused_with_the_known_ones() {
        assert_eq!(
            refusal(&SNAPSHOT, json!({"link": "x"})),
            "unknown argument \"link\"; browser_snapshot takes url, wait, query, interactive, since"
        );
        let long = "x".repeat(500);
        assert!(refusal(&EVAL, json!({"expression": "1", long: 1})).len() < 200);
    }

    #[test]
    fn each_wrong_type_is_refused_with_the_right_one() {
        assert_eq!(
            refusal(&SNAPSHOT, json!({"wait": "5"})),
            "wait must be an integer from 0 to 30000 (milliseconds), not the string \"5\""
        );
        assert_eq!(
            refusal(&SNAPSHOT, json!({"interactive": 1})),
            "interactive must be true or false, not the number 1"
        );
        for spec in &CATALOG {
            for parameter in spec.parameters {
                for wrong in [json!([]), json!({}), json!([1]), json!({"a": 1})] {
                    let mut given = json!({"action": "click", "expression": "1", "recovery_handle": "s1"});
                    given
                        .as_object_mut()
                        .unwrap()
                        .retain(|key, _| spec.parameters.iter().any(|one| one.name == key));
                    given[parameter.name] = wrong;
                    assert!(refusal(spec, given).starts_with(&format!("{} must be ", parameter.name)));
                }
            }
        }
    }

    #[test]
    fn an_integer_may_be_written_as_a_float_but_must_be_whole_and_in_range() {
        assert_eq!(
            check(&SNAPSHOT, json!({"wait": 5.0})).unwrap().milliseconds("wait"),
            Some(5)
        );
        assert_eq!(
            check(&SNAPSHOT, json!({"wait": 3e4})).unwrap().milliseconds("wait"),
            Some(30_000)
        );
        assert!(refusal(&SNAPSHOT, json!({"wait": 1.5})).contains("not the number 1.5"));
        for out in [
            json!(30_001),
            json!(-1),
            json!(1e300),
            json!(u64::MAX),
            json!(i64::MIN),
            json!(-0.5e1),
        ] {
            let text = refusal(&SNAPSHOT, json!({"wait": out}));
            assert!(
                text.ends_with("it must be an integer from 0 to 30000 (milliseconds)"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_text_at_its_limit_is_taken_and_one_more_is_refused() {
        check(&SNAPSHOT, json!({"query": "q".repeat(4096)})).unwrap();
        assert_eq!(
            refusal(&SNAPSHOT, json!({"query": "q".repeat(4097)})),
            "query has 4097 bytes; at most 4096 are taken"
        );
        check(&ACT, json!({"action": "type", "uid": "1", "text": "t".repeat(1 << 20)})).unwrap();
        assert!(
            refusal(
                &ACT,
                json!({"action": "type", "uid": "1", "text": "t".repeat((1 << 20) + 1)})
            )
            .contains("1048577 bytes")
        );
        check(&RECOVER, json!({"recovery_handle": "ü".repeat(512)})).unwrap();
        assert!(refusal(&RECOVER, json!({"recovery_handle": "h".repeat(513)})).contains("513 characters; at most 512"));
    }
}
