"""The Python SDK's two clients (mcp), ClientSession and Client. Argument: the binary."""

import asyncio
import json
import os
import re
import sys
import urllib.parse

from mcp import Client, ClientSession, StdioServerParameters, stdio_client

TOOLS = ["browser_snapshot", "browser_act", "browser_eval", "browser_recover"]
WORDS = "Some words that make the page larger than its view. " * 8
HTML = f"""<title>Client page</title><h1>Client page</h1><p>{WORDS}</p>
<label for="mail">Email</label><input id="mail"><button id="save">Save order</button><p role="status">Ready</p>
<script>save.onclick = () => document.querySelector("[role=status]").textContent = "Saved " + mail.value</script>"""
PAGE = "data:text/html," + urllib.parse.quote(HTML)


def text_of(result):
    assert not result.is_error, result
    (content,) = result.content
    return content.text


def uid_of(view, name):
    for line in view.split("\n"):
        if name in line and (found := re.search(r"\[(\w+)\]", line)):
            return found[1]
    raise AssertionError(f"{name} has no uid in:\n{view}")


async def steps(client):
    assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
    taken = await client.call_tool("browser_snapshot", {"url": PAGE})
    view = text_of(taken)
    assert "Client page" in view
    assert taken.meta["after"] < taken.meta["before"], taken.meta

    text_of(await client.call_tool("browser_act", {"uid": uid_of(view, "Email"), "action": "type", "text": "ops@example.com"}))
    text_of(await client.call_tool("browser_act", {"uid": uid_of(view, "Save order"), "action": "click"}))
    assert "Saved ops@example.com" in text_of(await client.call_tool("browser_snapshot", {"query": "Saved"}))
    assert "42" in text_of(await client.call_tool("browser_eval", {"expression": "6 * 7"}))

    original = json.loads(text_of(await client.call_tool("browser_recover", {"recovery_handle": taken.meta["handle"]})))
    assert any((node.get("name") or {}).get("value") == "Save order" for node in original["nodes"])

    refused = await client.call_tool("browser_act", {"uid": "u0", "action": "click"})
    assert refused.is_error and refused.content[0].text.startswith("cave_unknown_uid: "), refused


async def main(binary):
    server = StdioServerParameters(command=binary, env=dict(os.environ))
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        found = await session.initialize()
        assert found.server_info.name == "caveman-browse", found
        await steps(session)
    async with Client(server) as client:
        await steps(client)
    print("ok")


asyncio.run(main(sys.argv[1]))
