//! What a role means for a view. The names are Chrome's: ARIA roles and Blink's internal ones. Knows no node.

/// How a role is treated when uids are given out and bare nodes are dropped (rules 16 and 17).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoleKind {
    /// `StaticText`.
    Text,
    /// `InlineTextBox`: never shown.
    Inline,
    /// `LineBreak`: kept for whoever sets text in lines, not a line of the classic view.
    Break,
    /// `LabelText`: goes when it says nothing.
    Label,
    /// `generic`, `none`, `presentation`, and the popup of a `<select>`: goes when bare.
    Bare,
    /// Structure: shown, but no handle unless focusable or clickable.
    Structural,
    /// A widget: always a handle.
    Interactive,
    /// Not in our tables: a handle, so that a custom control is never turned silently into read-only text.
    Unknown,
}

/// The kind of a role as Chrome spells it.
pub fn kind_of(role: &str) -> RoleKind {
    match role {
        "StaticText" => RoleKind::Text,
        "InlineTextBox" => RoleKind::Inline,
        "LineBreak" => RoleKind::Break,
        "LabelText" => RoleKind::Label,
        "generic" | "none" | "presentation" | "GenericContainer" | "MenuListPopup" => RoleKind::Bare,
        "button"
        | "checkbox"
        | "combobox"
        | "link"
        | "menuitem"
        | "menuitemcheckbox"
        | "menuitemradio"
        | "option"
        | "radio"
        | "searchbox"
        | "slider"
        | "spinbutton"
        | "switch"
        | "tab"
        | "textbox"
        | "treeitem"
        | "MenuListOption"
        | "Date"
        | "DateTime"
        | "InputTime"
        | "ColorWell"
        | "DisclosureTriangle"
        | "DisclosureTriangleGrouped"
        | "PopUpButton"
        | "ToggleButton" => RoleKind::Interactive,
        _ if is_structural(role) => RoleKind::Structural,
        _ => RoleKind::Unknown,
    }
}

fn is_structural(role: &str) -> bool {
    matches!(
        role,
        "RootWebArea" | "WebArea" | "Iframe" | "IframePresentational"
        // landmarks and sections
        | "main" | "navigation" | "banner" | "contentinfo" | "complementary" | "region" | "search" | "form"
        | "article" | "section" | "group" | "Section" | "SectionHeader" | "SectionFooter" | "sectionheader" | "sectionfooter" | "Header" | "Footer"
        | "HeaderAsNonLandmark" | "FooterAsNonLandmark" | "Details" | "dialog" | "alertdialog" | "Dialog" | "figure"
        | "Figcaption" | "FigureCaption" | "caption" | "Legend" | "Caption" | "document" | "application" | "feed" | "toolbar"
        // text
        | "heading" | "paragraph" | "blockquote" | "code" | "pre" | "Pre" | "emphasis" | "strong" | "mark" | "Mark"
        | "subscript" | "superscript" | "insertion" | "deletion" | "term" | "definition" | "time" | "Abbr"
        | "DescriptionList" | "DescriptionListTerm" | "DescriptionListDetail" | "DescriptionListDetails" | "associationlist" | "associationlistitemkey" | "associationlistitemvalue"
        | "list" | "listitem" | "ListMarker" | "separator" | "note" | "math" | "MathMLMath"
        | "Ruby" | "RubyAnnotation" | "RubyBase" | "comment" | "suggestion" | "Canvas" | "LayoutTable"
        | "LayoutTableRow" | "LayoutTableCell"
        // tables
        | "table" | "grid" | "treegrid" | "row" | "rowgroup" | "cell" | "gridcell" | "columnheader" | "rowheader" | "column"
        | "TableHeaderContainer"
        // groups of widgets and live parts
        | "listbox" | "menu" | "menubar" | "radiogroup" | "tablist" | "tabpanel" | "tree" | "status" | "alert" | "log"
        | "timer" | "marquee" | "tooltip" | "progressbar" | "meter" | "scrollbar"
        // pictures and media
        | "image" | "img" | "graphics-document" | "graphics-object" | "graphics-symbol" | "Video" | "Audio"
        | "SvgRoot" | "ImageMap" | "EmbeddedObject" | "PluginObject" | "Unknown" | "unknown"
    ) || role.starts_with("MathML")
        || role.starts_with("doc-")
}
