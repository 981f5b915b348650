//! AX properties as states. Must not know which of them a view prints.

use super::page::{Checked, States};
use super::parse::AxNode;

pub(super) fn states(ax: &AxNode<'_>) -> States {
    let mut states = States {
        protected: is_masked(ax),
        ..States::default()
    };
    let (mut low, mut high) = (None, None);
    for (name, value) in &ax.properties {
        let value = value.as_ref();
        let on = value == "true";
        match name.as_ref() {
            "disabled" => states.disabled = on,
            "checked" => states.checked = Some(checked(value)),
            "pressed" => states.pressed = Some(checked(value)),
            "expanded" => states.expanded = Some(on),
            "selected" => states.selected = Some(on),
            "focused" => states.focused = on,
            "focusable" => states.focusable = on,
            "editable" => states.editable = !matches!(value, "" | "false"),
            "required" => states.required = on,
            "readonly" => states.readonly = on,
            "invalid" => states.invalid = !matches!(value, "" | "false"),
            "multiselectable" => states.multiselectable = on,
            "multiline" => states.multiline = on,
            "modal" => states.modal = on,
            "busy" => states.busy = on,
            "protected" => states.protected |= on,
            "hasPopup" if !matches!(value, "" | "false") => states.has_popup = Some(value.to_owned()),
            "level" => states.level = value.parse().ok(),
            "url" => states.url = Some(value.to_owned()),
            "valuetext" if !value.is_empty() => states.value_text = Some(value.to_owned()),
            "valuemin" => low = Some(value.to_owned()),
            "valuemax" => high = Some(value.to_owned()),
            "roledescription" => states.role_description = Some(value.to_owned()),
            _ => {}
        }
    }
    states.value_range = low.zip(high);
    states
}

/// CDP names no `protected` property today: Chrome hands out a password as bullets, one a character, and even their
/// number is nobody's business (rule 19).
fn is_masked(ax: &AxNode<'_>) -> bool {
    ax.value
        .as_deref()
        .is_some_and(|value| !value.is_empty() && value.chars().all(|mark| mark == '\u{2022}'))
}

fn checked(value: &str) -> Checked {
    match value {
        "true" => Checked::True,
        "mixed" => Checked::Mixed,
        _ => Checked::False,
    }
}
