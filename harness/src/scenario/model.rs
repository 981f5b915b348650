//! A checked scenario: what the other rooms work with. Holds no text positions.

use caveman_browse::render::PayloadKind;

use crate::scenario::load::Kind;

/// One scenario file, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// The file's stem: what reports and tests call it.
    pub name: String,
    /// Whether it is measured or only has to pass.
    pub kind: Kind,
    /// One sentence.
    pub summary: String,
    /// Where it begins.
    pub address: Address,
    /// The node whose appearance makes the page ready; without one the page's load does.
    pub ready: Option<Node>,
    /// What is asked of the page, each with its budget.
    pub variants: Vec<Variant>,
    /// What is done on the page, in order.
    pub steps: Vec<Step>,
    /// Through which doors the steps go; all three where the file does not say.
    pub doors: Vec<Door>,
}

/// Where a scenario or a step goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A file under `fixtures/pages`, or a route of the page server: the path to ask it for, without the leading `/`.
    Served(String),
    /// A whole URL, as it is.
    Url(String),
}

/// A node by what an agent would call it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The role as the accessibility tree has it.
    pub role: String,
    /// The name, in full.
    pub name: String,
}

/// Which grammar a view has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ViewName {
    /// The published grammar (rule 12).
    Classic,
}

/// One way of asking for a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// What the columns are called.
    pub name: String,
    /// Terms to focus on.
    pub query: Option<String>,
    /// Only what can be operated, and what places it.
    pub interactive: bool,
    /// The grammar.
    pub view: ViewName,
    /// The form of the delivered text.
    pub payload: PayloadKind,
    /// What it may cost.
    pub budget: Budget,
    /// Texts that the view must hold; one missing means no figure.
    pub keep: Vec<String>,
}

/// What a variant may cost. Whole delivered texts, in o200k tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budget {
    /// At most so many tokens.
    pub tokens: Option<usize>,
    /// At least this saving against the raw tree: `1 - after / before`, 0 to 1.
    pub min_ratio: Option<f64>,
    /// At most this share of another variant of the same scenario.
    pub max_of: Option<MaxOf>,
}

/// A bound that another variant sets.
#[derive(Clone, Debug, PartialEq)]
pub struct MaxOf {
    /// The other variant.
    pub variant: String,
    /// Which share of its tokens, above 0, at most 1.
    pub share: f64,
}

/// How a step reaches the product.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Door {
    /// The library's public functions.
    Library,
    /// The MCP server on stdio.
    Mcp,
    /// The command line, one process a step.
    Cli,
}

impl Door {
    /// Every door, and what a file calls it.
    pub const ALL: [(Door, &'static str); 3] = [(Door::Library, "library"), (Door::Mcp, "mcp"), (Door::Cli, "cli")];
}

/// One thing that is done, and how it must end.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is done.
    pub kind: StepKind,
    /// The code that it must fail with (rule 5); without one it must succeed.
    pub fails: Option<String>,
    /// The line of the file that it begins on, for whoever reads of its failure.
    pub line: usize,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// Takes a snapshot.
    Snapshot(SnapshotStep),
    /// Does something to an element.
    Act(Act),
    /// Runs an expression in the page.
    Eval(String),
    /// Asks for an original.
    Recover(Recover),
    /// Looks at the result of the step before.
    Expect(Expect),
}

/// A snapshot within a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SnapshotStep {
    /// Where to go first.
    pub go: Option<Address>,
    /// Terms to focus on.
    pub query: Option<String>,
    /// Only what can be operated.
    pub interactive: bool,
    /// A name under which later steps find this snapshot's uids and handle again.
    pub remember: Option<String>,
}

/// An action (rule 21).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A mouse click in the middle.
    Click(Target),
    /// Text into a field.
    Type(Target, String),
    /// An option of a select, by value, label or trimmed text.
    Select(Target, String),
    /// Into view.
    Scroll(Target),
    /// The short wait.
    Wait,
    /// OK to the dialog that is open; with the answer that a prompt gets.
    Accept(Option<String>),
    /// Cancel to the dialog that is open.
    Dismiss,
    /// A verb as it stands, for what is refused.
    Verb(String),
}

/// The element that is acted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Which.
    pub subject: Subject,
    /// In which remembered snapshot its uid is looked up; the latest where not named.
    pub from: Option<String>,
}

/// How an element is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// By role and name; its uid is looked up.
    Node(Node),
    /// By uid as it stands, right or wrong.
    Uid(String),
}

/// A look at an original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recover {
    /// The remembered snapshot whose original is wanted; the latest where not named.
    pub of: Option<String>,
    /// A handle as it stands, in place of a snapshot's.
    pub handle: Option<String>,
    /// Which records.
    pub query: Option<String>,
}

/// What must be true of the result of the step before, or of the page as a fresh snapshot shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expect {
    /// Texts that a fresh snapshot's view must hold.
    pub view: Vec<String>,
    /// Texts that a fresh snapshot's view must not hold.
    pub not_view: Vec<String>,
    /// Texts that the delivered result of the step before must hold.
    pub result: Vec<String>,
    /// Texts that the delivered result of the step before must not hold.
    pub not_result: Vec<String>,
    /// Texts that the notes of the snapshot before must hold.
    pub note: Vec<String>,
}
