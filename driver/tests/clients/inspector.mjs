// The MCP Inspector's command line: each call is a process and a server of its own, so a page does not outlive its call,
// and recover works across servers by the full handle. Argument: the binary.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { PAGE, TOOLS, textOf } from "./steps.mjs";

const binary = process.argv[2];
const manifest = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const inspector = join(dirname(manifest), "cli", "build", "cli.js");

async function inspect(...args) {
  const options = { env: process.env, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, [inspector, "--cli", binary, ...args], options);
  return JSON.parse(stdout);
}

async function call(name, args) {
  const given = Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${JSON.stringify(value)}`]);
  return inspect("--method", "tools/call", "--tool-name", name, ...given);
}

const { tools } = await inspect("--method", "tools/list");
assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
const taken = await call("browser_snapshot", { url: PAGE });
assert.match(textOf(taken), /Client page/);
const original = JSON.parse(textOf(await call("browser_recover", { recovery_handle: taken._meta.handle })));
assert.ok(original.nodes.some((node) => node.name?.value === "Save order"));
const refused = await call("browser_act", { uid: "u1", action: "click" });
assert.equal(refused.isError, true);
assert.match(refused.content[0].text, /^cave_unknown_uid: /);
console.log("ok");
