//! The element that a uid stands for: found again by its document and node, never by its looks, and compared with what was
//! shown before anything is done to it (contract, rule 24).
//!
//! Must not know what is done to it.

use super::act_error::{ActError, Cover, RoleName, Stale};
use super::tab::{Page, QUICK};
use super::world::{Handle, World};
use crate::ax;
use crate::cdp::CdpError;
use crate::cdp::protocol::browser_protocol::accessibility::GetPartialAxTreeParams;
use crate::cdp::protocol::browser_protocol::dom::BackendNodeId;
use crate::cdp::protocol::browser_protocol::page::{FrameTree, GetFrameTreeParams};
use crate::page::PageError;
use crate::uid::Target;
use serde_json::json;

/// How far out an element that covers another is looked up.
const COVER_LEVELS: u32 = 6;

/// An element of the page's present document.
#[derive(Debug)]
pub struct Element<'p> {
    pub(super) page: &'p Page,
    pub(super) world: World<'p>,
    pub(super) handle: Handle,
    target: &'p Target,
}

/// What role and name say about an element now.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Identity {
    Same,
    Hidden,
    Changed(RoleName),
}

impl Page {
    /// Finds the element again.
    ///
    /// # Errors
    /// `Stale` when its document or its node is gone, or its role or name is another.
    pub async fn element<'p>(&'p self, target: &'p Target) -> Result<Element<'p>, ActError> {
        if !target.session.is_empty() {
            return Err(ActError::Unfit {
                problem: "it is in a frame of another process, which cannot be acted in".to_owned(),
            });
        }
        let session = self.session();
        let tree = self
            .guarded(session.call(GetFrameTreeParams::default(), QUICK))
            .await?
            .frame_tree;
        self.showable()?;
        if loader_of(&tree, &target.frame_id) != Some(target.loader_id.as_str()) {
            return Err(Stale::Document.into());
        }
        if target.frame_id != self.main_frame_id() {
            // Its points would be taken for points of the page around it.
            return Err(ActError::Unfit {
                problem: "it is in a frame, which cannot be acted in yet".to_owned(),
            });
        }
        let world = World::of_frame(self, session, &target.frame_id).await?;
        let handle = world.resolve(target.backend_node_id).await?;
        let element = Element {
            page: self,
            world,
            handle,
            target,
        };
        match element.identity().await? {
            // What hides it is named by the checks that follow.
            Identity::Same | Identity::Hidden => Ok(element),
            Identity::Changed(now) => Err(element.changed(now)),
        }
    }
}

impl Element<'_> {
    /// Compares once more, just before something is done.
    pub(super) async fn confirm(&self) -> Result<(), ActError> {
        match self.identity().await? {
            Identity::Same => Ok(()),
            Identity::Hidden => Err(Stale::Hidden.into()),
            Identity::Changed(now) => Err(self.changed(now)),
        }
    }

    fn changed(&self, now: RoleName) -> ActError {
        let was = RoleName {
            role: self.target.role.clone(),
            name: self.target.name.clone(),
        };
        Stale::Changed { was, now }.into()
    }

    async fn identity(&self) -> Result<Identity, ActError> {
        let ask = GetPartialAxTreeParams::builder()
            .backend_node_id(BackendNodeId::new(self.target.backend_node_id))
            .fetch_relatives(false)
            .build();
        let reply = match self.page.guarded(self.world.session().call_raw(ask, QUICK)).await {
            Ok(reply) => reply,
            Err(PageError::Cdp(CdpError::Protocol { .. })) => return Err(Stale::Gone.into()),
            Err(other) => return Err(other.into()),
        };
        let Ok(tree) = ax::parse(reply.result()) else {
            return Ok(Identity::Hidden);
        };
        let own = tree
            .nodes
            .iter()
            .find(|node| node.backend_node_id == Some(self.target.backend_node_id));
        let Some(own) = own.filter(|node| !node.ignored) else {
            return Ok(Identity::Hidden);
        };
        if own.role == self.target.role && own.name == self.target.name {
            return Ok(Identity::Same);
        }
        Ok(Identity::Changed(RoleName {
            role: own.role.to_string(),
            name: own.name.to_string(),
        }))
    }

    /// Finds the nodes of what covered it at the last look.
    pub(super) async fn identify(&self, mut cover: Cover) -> Result<Cover, ActError> {
        for level in 0..COVER_LEVELS {
            let at = self
                .world
                .call_for_handle(&self.handle, "coverAt", json!({ "level": level }))
                .await?;
            let Some(at) = at else { break };
            cover.nodes.push(self.world.backend_node_id(&at).await?);
        }
        Ok(cover)
    }
}

impl Drop for Element<'_> {
    fn drop(&mut self) {
        self.world.release();
    }
}

fn loader_of<'t>(tree: &'t FrameTree, frame_id: &str) -> Option<&'t str> {
    if tree.frame.id.inner() == frame_id {
        return Some(tree.frame.loader_id.inner());
    }
    tree.child_frames
        .iter()
        .flatten()
        .find_map(|child| loader_of(child, frame_id))
}
