// What a client does with the server: the same steps for every client. Each throws where the answer is not right.
import assert from "node:assert/strict";

export const TOOLS = ["browser_snapshot", "browser_act", "browser_eval", "browser_recover"];

const HTML = `<title>Client page</title><h1>Client page</h1><p>${"Some words that make the page larger than its view. ".repeat(8)}</p>
<label for="mail">Email</label><input id="mail"><button id="save">Save order</button><p role="status">Ready</p>
<script>save.onclick = () => document.querySelector("[role=status]").textContent = "Saved " + mail.value</script>`;

export const PAGE = "data:text/html," + encodeURIComponent(HTML);

// The text of a result that is no error.
export function textOf(result) {
  assert.ok(!result.isError, JSON.stringify(result));
  assert.equal(result.content.length, 1);
  return result.content[0].text;
}

// The uid of the line that names something.
export function uidOf(view, name) {
  const line = view.split("\n").find((line) => line.includes(name) && /\[\w+\]/.test(line));
  assert.ok(line, `${name} has no uid in:\n${view}`);
  return line.match(/\[(\w+)\]/)[1];
}

// `call(name, arguments)` resolves to a tool result.
export async function steps(server, list, call) {
  assert.equal(server.name, "caveman-browse");
  assert.match(server.version, /^\d+\.\d+\.\d+/);
  assert.deepEqual(list.map((tool) => tool.name), TOOLS);

  const taken = await call("browser_snapshot", { url: PAGE });
  const view = textOf(taken);
  assert.match(view, /Client page/);
  assert.ok(taken._meta.after < taken._meta.before, JSON.stringify(taken._meta));
  const handle = taken._meta.handle;

  textOf(await call("browser_act", { uid: uidOf(view, "Email"), action: "type", text: "ops@example.com" }));
  textOf(await call("browser_act", { uid: uidOf(view, "Save order"), action: "click" }));
  const verified = textOf(await call("browser_snapshot", { query: "Saved" }));
  assert.match(verified, /Saved ops@example\.com/);
  assert.match(textOf(await call("browser_eval", { expression: "6 * 7" })), /42/);

  const original = JSON.parse(textOf(await call("browser_recover", { recovery_handle: handle })));
  assert.ok(original.nodes.some((node) => node.name?.value === "Save order"));

  const refused = await call("browser_act", { uid: "u0", action: "click" });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /^cave_unknown_uid: /);
  const wrong = await call("browser_snapshot", { wait: "soon" });
  assert.match(wrong.content[0].text, /^cave_invalid_arguments: wait must be an integer/);
}
