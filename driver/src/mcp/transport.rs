//! The SDK's transport over two byte streams: lines in through the judge, messages out through one writer.
//!
//! Must not know tools. Knows which requests are in flight, whether the input has ended and whether the output broke.

use super::frame::Lines;
use super::wire::{Judge, Verdict};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::{RoleServer, transport::Transport};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;

/// The longest line that is read, in bytes (contract, rule 28).
pub(super) const LINE_LIMIT: usize = 16 * 1024 * 1024;
/// How many messages wait for the SDK before the client is held up.
const QUEUE: usize = 64;

/// The output cannot be written to any more.
#[derive(Debug, thiserror::Error)]
#[error("the client's end of the output is gone")]
pub(super) struct OutputBroken;

/// Requests that the SDK has not answered yet.
#[derive(Debug, Default)]
struct InFlight {
    ids: Mutex<HashSet<RequestId>>,
    count: watch::Sender<usize>,
}

impl InFlight {
    fn with(&self, change: impl FnOnce(&mut HashSet<RequestId>) -> bool) {
        let mut ids = self.ids.lock().unwrap_or_else(PoisonError::into_inner);
        if change(&mut ids) {
            self.count.send_replace(ids.len());
        }
    }

    fn contains(&self, id: &RequestId) -> bool {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner).contains(id)
    }
}

/// What the SDK reads and writes.
pub(super) struct LineTransport {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    in_flight: Arc<InFlight>,
}

impl Transport<RoleServer> for LineTransport {
    type Error = OutputBroken;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(response.id.clone()),
            JsonRpcMessage::Error(error) => error.id.clone(),
            _ => None,
        };
        let (outgoing, in_flight) = (self.outgoing.clone(), Arc::clone(&self.in_flight));
        async move {
            let sent = match serde_json::to_vec(&message) {
                Ok(bytes) => outgoing.send(bytes).map_err(|_| OutputBroken),
                // Maps with text keys, strings and finite numbers: there is nothing in it that JSON cannot say.
                Err(error) => {
                    tracing::error!("a message could not be written: {error}");
                    Ok(())
                }
            };
            if let Some(id) = answered {
                in_flight.with(|ids| ids.remove(&id));
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.incoming.close();
        Ok(())
    }
}

/// The other side of the transport: what its owner watches and ends.
pub(super) struct Wire {
    reader: JoinHandle<()>,
    writer: JoinHandle<()>,
    input_ended: watch::Receiver<bool>,
    output_broken: watch::Receiver<bool>,
    in_flight: watch::Receiver<usize>,
}

impl Wire {
    /// Waits until the input has ended.
    pub(super) async fn input_ended(&self) {
        let mut ended = self.input_ended.clone();
        let _ = ended.wait_for(|ended| *ended).await;
    }

    /// Waits until a write has failed; for ever where none does.
    pub(super) async fn output_broken(&self) {
        let mut broken = self.output_broken.clone();
        if broken.wait_for(|broken| *broken).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Waits until every request that came is answered.
    pub(super) async fn idle(&self) {
        let mut count = self.in_flight.clone();
        let _ = count.wait_for(|count| *count == 0).await;
    }

    /// Reads no more; the SDK sees the end of the input.
    pub(super) fn stop_reading(&self) {
        self.reader.abort();
    }

    /// Waits until what was sent is written.
    pub(super) async fn written(self) {
        let _ = self.writer.await;
    }
}

/// A transport over `input` and `output`.
pub(super) fn open<R, W>(input: R, output: W) -> (LineTransport, Wire)
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (forward, incoming) = mpsc::channel(QUEUE);
    // Never full: the end of the input is seen though the client reads nothing.
    let (outgoing, to_write) = mpsc::unbounded_channel();
    let (ended, input_ended) = watch::channel(false);
    let (broken, output_broken) = watch::channel(false);
    let in_flight = Arc::new(InFlight::default());
    let count = in_flight.count.subscribe();
    let reader = tokio::spawn(read(input, forward, outgoing.clone(), Arc::clone(&in_flight), ended));
    let writer = tokio::spawn(write(output, to_write, broken));
    (
        LineTransport {
            incoming,
            outgoing,
            in_flight,
        },
        Wire {
            reader,
            writer,
            input_ended,
            output_broken,
            in_flight: count,
        },
    )
}

async fn read<R: AsyncRead + Unpin>(
    input: R,
    forward: mpsc::Sender<ClientJsonRpcMessage>,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    in_flight: Arc<InFlight>,
    ended: watch::Sender<bool>,
) {
    let mut lines = Lines::new(input, LINE_LIMIT);
    let mut judge = Judge::default();
    loop {
        let line = match lines.next().await {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                tracing::warn!("the input cannot be read: {error}");
                break;
            }
        };
        let verdict = judge.judge(&line, LINE_LIMIT, &|id| in_flight.contains(id));
        drop(line);
        let message = match verdict {
            Verdict::Nothing => continue,
            Verdict::Answer(answers) => {
                for answer in answers {
                    if outgoing.send(answer.to_string().into_bytes()).is_err() {
                        break;
                    }
                }
                continue;
            }
            Verdict::Request(id, message) => {
                in_flight.with(|ids| ids.insert(id));
                message
            }
            Verdict::Notification { cancels, message } => {
                // A request that was taken back gets no answer.
                if let Some(id) = cancels {
                    in_flight.with(|ids| ids.remove(&id));
                }
                message
            }
        };
        if forward.send(*message).await.is_err() {
            break;
        }
    }
    ended.send_replace(true);
}

async fn write<W: AsyncWrite + Unpin>(
    mut output: W,
    mut messages: mpsc::UnboundedReceiver<Vec<u8>>,
    broken: watch::Sender<bool>,
) {
    while let Some(mut message) = messages.recv().await {
        message.push(b'\n');
        let mut written = output.write_all(&message).await;
        if written.is_ok() && messages.is_empty() {
            written = output.flush().await;
        }
        if let Err(error) = written {
            tracing::warn!("the output cannot be written: {error}");
            broken.send_replace(true);
            return;
        }
    }
    let _ = output.flush().await;
}
