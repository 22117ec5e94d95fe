from __future__ import annotations

import json
from datetime import UTC, datetime

from graphmem.chatlogs.registry import detect


def node(role, text, parent, *, time=None, kind="text", children=(), **metadata):
    return {
        "message": {
            "author": {"role": role},
            "create_time": time,
            "content": {"content_type": kind, "parts": [text]},
            "metadata": metadata,
        },
        "parent": parent,
        "children": list(children),
    }


def conversation(**changes):
    profile = node("user", "Preferred name: Zed", "system", kind="user_editable_context")
    mapping = {
        "root": {"message": None, "parent": None, "children": ["system"]},
        "system": node("system", "", "root", children=["profile"]),
        "profile": profile,
        "hidden": node("user", "secret", "profile", is_visually_hidden_from_conversation=True),
        "ask": node("user", "I live in London", "hidden", time=1700000001.25),
        "old": node("assistant", "dropped answer", "ask", time=1700000002),
        "new": node("assistant", "shown answer", "ask", children=["thanks", "gone"]),
        "thanks": node("user", "Thanks \ud83d", "new", time=1700000009),
    }
    whole = {"title": "Home", "id": "c1", "create_time": 1700000000.5, "mapping": mapping}
    return {**whole, "current_node": "thanks", **changes}


def test_the_shown_branch_is_read_and_nothing_hidden(read, tmp_path):
    messages, problems = read(json.dumps([conversation()]))
    assert detect(tmp_path / "chat.txt").name == "chatgpt"
    assert not problems
    assert [(m.speaker, m.role, m.text) for m in messages] == [
        ("user", "user", "I live in London"),
        ("assistant", "assistant", "shown answer"),
        ("user", "user", "Thanks \ufffd"),
    ]
    assert messages[0].said_at == datetime(2023, 11, 14, 22, 13, 21, 250000, tzinfo=UTC)
    assert messages[0].said_at < messages[1].said_at < messages[2].said_at
    assert {m.conversation for m in messages} == {"c1"}


def test_one_broken_conversation_ruins_nothing(read):
    good = conversation()
    broken = conversation(id="c2")
    del broken["mapping"]["ask"]["message"]["author"]
    text = json.dumps(["oops", good, None, {"title": "empty"}, broken])
    messages, problems = read(text, name="conversations.json")
    assert next(m.text for m in messages if m.conversation == "c1") == "I live in London"
    assert [m.text for m in messages if m.conversation == "c2"] == ["shown answer", "Thanks \ufffd"]
    places = [p.place for p in problems]
    assert places[0] == "conversations.json, conversation 1, line 1, byte 1"
    assert "conversation 3" in places[1]
    assert "'empty'" in places[2]
    assert places[3].endswith("node ask")


def test_a_syntax_error_inside_a_conversation_skips_that_one(read):
    good = json.dumps(conversation())
    messages, problems = read(f'[{good}, {{"mapping": {{"a": nul}}}}, {good}]')
    assert len(messages) == 6
    assert len(problems) == 1
    assert f"byte {len(good) + 3}" in problems[0].place


def test_a_missing_parent_is_found_by_its_children_or_reported(read):
    mended = conversation()
    del mended["mapping"]["new"]["parent"]
    mended["mapping"]["ask"]["children"] = ["new"]
    messages, problems = read(json.dumps([mended]))
    assert messages[0].text == "I live in London"
    assert not problems
    cut = conversation()
    cut["mapping"]["new"]["parent"] = "vanished"
    messages, problems = read(json.dumps([cut]))
    assert [m.text for m in messages] == ["shown answer", "Thanks \ufffd"]
    assert "vanished" in problems[0].met


def test_circles_and_a_lost_current_node_come_to_an_end(read):
    circle = conversation()
    circle["mapping"]["ask"]["parent"] = "thanks"
    assert len(read(json.dumps([circle]))[0]) == 3
    lost = conversation(current_node="nowhere")
    assert read(json.dumps([lost]))[0][-1].text == "Thanks \ufffd"
    assert read(json.dumps([conversation(mapping={})])) == ([], [])


def test_attachments_are_named_and_tools_are_tools(read):
    talk = conversation()
    ask = talk["mapping"]["ask"]["message"]
    ask["content"] = {
        "content_type": "multimodal_text",
        "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file://1"}, "My cat"],
    }
    ask["metadata"]["attachments"] = [{"name": "cat.png"}]
    talk["mapping"]["call"] = node("assistant", "search(cats)", "thanks")
    talk["mapping"]["call"]["message"]["recipient"] = "browser"
    result = node("tool", "cats are fine", "call")
    result["message"]["author"]["name"] = "browser"
    talk["mapping"]["result"] = result
    talk["mapping"]["think"] = node("assistant", "hm", "result", kind="thoughts")
    messages, problems = read(json.dumps([{**talk, "current_node": "think"}]), me="Ana")
    assert not problems
    assert messages[0].text == "[image]\nMy cat\n[attachment: cat.png]"
    assert messages[0].speaker == "Ana"
    assert [(m.speaker, m.role, m.text) for m in messages[3:]] == [
        ("browser", "tool", "search(cats)"),
        ("browser", "tool", "cats are fine"),
    ]
