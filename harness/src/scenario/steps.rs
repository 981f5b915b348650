//! The checks of `[[step]]`: one kind each, names that exist, codes that exist.

use std::collections::HashSet;

use caveman_browse::tools::Code;
use serde_spanned::Spanned;

use crate::scenario::check::Checker;
use crate::scenario::model::{Act, Expect, Node, Recover, SnapshotStep, Step, StepKind, Subject, Target};
use crate::scenario::raw::{RawAct, RawExpect, RawRecover, RawSnapshot, RawStep, RawTarget};

const KINDS: &str = "give exactly one of `snapshot`, `act`, `eval`, `recover` and `expect`";
const VERBS: &str = "give exactly one of `click`, `type`, `select`, `scroll`, `wait`, `accept`, `dismiss` and `verb`";

/// The steps in order; later ones may name what earlier ones remembered.
pub(super) fn check(checker: &mut Checker<'_>, raw: Vec<Spanned<RawStep>>) -> Vec<Step> {
    let mut remembered = HashSet::new();
    let mut steps: Vec<Step> = Vec::new();
    for step in raw {
        let span = step.span();
        let line = checker.text[..span.start].matches('\n').count() + 1;
        let step = step.into_inner();
        let given = [
            step.snapshot.is_some(),
            step.act.is_some(),
            step.eval.is_some(),
            step.recover.is_some(),
            step.expect.is_some(),
        ];
        match given.iter().filter(|given| **given).count() {
            1 => {}
            0 => checker.wrong(span.clone(), "a step that does nothing", "in this table", KINDS),
            _ => checker.wrong(span.clone(), "a step that does two things", "in this table", KINDS),
        }
        let fails = step.fails.map(|fails| {
            if !Code::ALL.iter().any(|code| code.as_str() == fails.get_ref()) {
                let codes: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
                checker.wrong(
                    fails.span(),
                    format!("`{}` is no error code", fails.get_ref()),
                    "not known",
                    format!("the codes are {}", codes.join(", ")),
                );
            } else if step.expect.is_some() {
                checker.wrong(
                    fails.span(),
                    "an `expect` cannot fail with a code",
                    "belongs to a step before",
                    "leave it out",
                );
            }
            fails.into_inner()
        });
        let first = steps.is_empty();
        let kind = if let Some(raw) = step.snapshot {
            snapshot(checker, &mut remembered, raw)
        } else if let Some(raw) = step.act {
            act(checker, &remembered, raw)
        } else if let Some(raw) = step.eval {
            StepKind::Eval(checker.filled("eval", raw))
        } else if let Some(raw) = step.recover {
            recover(checker, &remembered, raw)
        } else if let Some(raw) = step.expect {
            expect(checker, first, raw)
        } else {
            continue;
        };
        steps.push(Step { kind, fails, line });
    }
    steps
}

fn snapshot(checker: &mut Checker<'_>, remembered: &mut HashSet<String>, raw: RawSnapshot) -> StepKind {
    let go = checker.address(raw.page, raw.route, raw.url);
    let query = raw.query.map(|query| checker.filled("query", query));
    let remember = raw.remember.map(|name| {
        if !remembered.insert(name.get_ref().clone()) {
            checker.wrong(
                name.span(),
                format!("`{}` is remembered twice", name.get_ref()),
                "used before",
                "give each remembered snapshot its own name",
            );
        }
        checker.filled("remember", name)
    });
    StepKind::Snapshot(SnapshotStep {
        go,
        query,
        interactive: raw.interactive,
        remember,
    })
}

fn act(checker: &mut Checker<'_>, remembered: &HashSet<String>, raw: Spanned<RawAct>) -> StepKind {
    let span = raw.span();
    let raw = raw.into_inner();
    let given = [
        raw.click.is_some(),
        raw.type_.is_some(),
        raw.select.is_some(),
        raw.scroll.is_some(),
        raw.wait.is_some(),
        raw.accept.is_some(),
        raw.dismiss.is_some(),
        raw.verb.is_some(),
    ];
    if given.iter().filter(|given| **given).count() != 1 {
        checker.wrong(span, "not one action", "in this table", VERBS);
    }
    for (key, flag) in [("wait", &raw.wait), ("dismiss", &raw.dismiss)] {
        if let Some(flag) = flag
            && !flag.get_ref()
        {
            let title = format!("`{key} = false` does nothing");
            checker.wrong(flag.span(), title, "here", format!("write `{key} = true`"));
        }
    }
    let act = if let Some(target) = raw.click {
        Act::Click(bare(checker, remembered, target))
    } else if let Some(mut target) = raw.type_ {
        let text = worded(checker, &mut target, true);
        Act::Type(self::target(checker, remembered, target), text)
    } else if let Some(mut target) = raw.select {
        let option = worded(checker, &mut target, false);
        Act::Select(self::target(checker, remembered, target), option)
    } else if let Some(target) = raw.scroll {
        Act::Scroll(bare(checker, remembered, target))
    } else if let Some(answer) = raw.accept {
        Act::Accept(answer.text.map(Spanned::into_inner))
    } else if raw.dismiss.is_some() {
        Act::Dismiss
    } else if let Some(verb) = raw.verb {
        Act::Verb(verb.into_inner())
    } else {
        Act::Wait
    };
    StepKind::Act(act)
}

/// A target without words.
fn bare(checker: &mut Checker<'_>, remembered: &HashSet<String>, raw: RawTarget) -> Target {
    for word in [&raw.text, &raw.option].into_iter().flatten() {
        checker.wrong(
            word.span(),
            "a text for an action that takes none",
            "here",
            "`text` belongs to `type`, `option` to `select`",
        );
    }
    target(checker, remembered, raw)
}

/// Takes the words of `type` (its `text`) or `select` (its `option`) out of the table.
fn worded(checker: &mut Checker<'_>, raw: &mut RawTarget, typed: bool) -> String {
    let (own, other, key) = if typed {
        (raw.text.take(), raw.option.take(), "text")
    } else {
        (raw.option.take(), raw.text.take(), "option")
    };
    if let Some(other) = other {
        checker.wrong(
            other.span(),
            "the text of another action",
            "here",
            "`text` belongs to `type`, `option` to `select`",
        );
    }
    own.map_or_else(
        || {
            let span = place(raw);
            checker.wrong(span, format!("no `{key}`"), "for this element", format!("give `{key}`"));
            String::new()
        },
        Spanned::into_inner,
    )
}

fn place(raw: &RawTarget) -> std::ops::Range<usize> {
    [&raw.role, &raw.name, &raw.uid, &raw.from]
        .into_iter()
        .flatten()
        .map(Spanned::span)
        .next()
        .unwrap_or(0..0)
}

fn target(checker: &mut Checker<'_>, remembered: &HashSet<String>, raw: RawTarget) -> Target {
    let span = place(&raw);
    let subject = match (raw.role, raw.name, raw.uid) {
        (Some(role), Some(name), None) => Subject::Node(Node {
            role: checker.filled("role", role),
            name: name.into_inner(),
        }),
        (None, None, Some(uid)) => Subject::Uid(uid.into_inner()),
        _ => {
            checker.wrong(
                span,
                "an element without a clear name",
                "here",
                "give `role` and `name`, or `uid` alone",
            );
            Subject::Uid(String::new())
        }
    };
    Target {
        subject,
        from: raw.from.map(|from| known(checker, remembered, from)),
    }
}

fn known(checker: &mut Checker<'_>, remembered: &HashSet<String>, name: Spanned<String>) -> String {
    if !remembered.contains(name.get_ref()) {
        let mut names: Vec<_> = remembered.iter().map(|name| format!("`{name}`")).collect();
        names.sort();
        let help = if names.is_empty() {
            "no step before has `snapshot = { remember = … }`".to_owned()
        } else {
            format!("remembered so far: {}", names.join(", "))
        };
        checker.wrong(
            name.span(),
            format!("no snapshot `{}`", name.get_ref()),
            "not remembered before",
            help,
        );
    }
    name.into_inner()
}

fn recover(checker: &mut Checker<'_>, remembered: &HashSet<String>, raw: RawRecover) -> StepKind {
    if let (Some(_), Some(handle)) = (&raw.of, &raw.handle) {
        checker.wrong(handle.span(), "two originals", "the second", "give `of` or `handle`");
    }
    StepKind::Recover(Recover {
        of: raw.of.map(|of| known(checker, remembered, of)),
        handle: raw.handle.map(Spanned::into_inner),
        query: raw.query.map(|query| checker.filled("query", query)),
    })
}

fn expect(checker: &mut Checker<'_>, first: bool, raw: Spanned<RawExpect>) -> StepKind {
    let span = raw.span();
    let raw = raw.into_inner();
    if first && !(raw.result.is_empty() && raw.not_result.is_empty() && raw.note.is_empty()) {
        checker.wrong(
            span.clone(),
            "an `expect` about a step before the first",
            "there is none",
            "`view` and `not_view` look at the page itself",
        );
    }
    let expect = Expect {
        view: checker.filled_all("view", raw.view),
        not_view: checker.filled_all("not_view", raw.not_view),
        result: checker.filled_all("result", raw.result),
        not_result: checker.filled_all("not_result", raw.not_result),
        note: checker.filled_all("note", raw.note),
    };
    if expect == Expect::default() {
        checker.wrong(
            span,
            "an `expect` that expects nothing",
            "here",
            "give some of `view`, `not_view`, `result`, `not_result` and `note`",
        );
    }
    StepKind::Expect(expect)
}
