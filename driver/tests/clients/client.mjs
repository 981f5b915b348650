// The TypeScript SDK's client, second line of releases (@modelcontextprotocol/client). Argument: the binary.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { steps } from "./steps.mjs";

const transport = new StdioClientTransport({ command: process.argv[2], args: [], env: process.env });
const client = new Client({ name: "client", version: "1.0.0" });
await client.connect(transport);
const { tools } = await client.listTools();
await steps(client.getServerVersion(), tools, (name, args) => client.callTool({ name, arguments: args }));
await client.close();
console.log("ok");
