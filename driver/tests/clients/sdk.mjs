// The TypeScript SDK's client, first line of releases (@modelcontextprotocol/sdk). Argument: the binary.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { steps } from "./steps.mjs";

const transport = new StdioClientTransport({ command: process.argv[2], args: [], env: process.env });
const client = new Client({ name: "sdk", version: "1.0.0" });
await client.connect(transport);
const { tools } = await client.listTools();
await steps(client.getServerVersion(), tools, (name, args) => client.callTool({ name, arguments: args }));
await client.close();
console.log("ok");
