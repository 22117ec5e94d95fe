"""What messengers put between the words of people: each export as phones write it, with a hand-checked target."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from graphmem.chatlogs.registry import detect, open_log

IPHONE = (
    "\u200e[20/05/2024, 9:01:02\u202fPM] Messages and calls are end-to-end encrypted.\n"
    "[20/05/2024, 9:02:02\u202fPM] Ana: Hello\nsecond line\n\nfourth\n"
    "[20/05/2024, 9:03:00\u202fPM] ~\u202fTom: \u200eimage omitted\n"
    "[20/05/2024, 9:03:05\u202fPM] Tom: \u200eImmagine omessa\n"
    "[20/05/2024, 9:03:10\u202fPM] Tom: \u200e<attached: 00000012-PHOTO.jpg>\n"
    "[20/05/2024, 9:04:00\u202fPM] Tom: I live in Oslo \u200e<This message was edited>\n"
    "[20/05/2024, 9:05:00\u202fPM] Tom: \u200eThis message was deleted.\n"
    "[20/05/2024, 9:06:00\u202fPM] Ana: \u200eYou deleted this message.\n"
    "[20/05/2024, 9:07:00\u202fPM] \u200eTom: see https://x.org\n"
    "[20/05/2024, 9:08:00\u202fPM] Tom: \u200eMissed voice call\n"
    "[20/05/2024, 9:09:00\u202fPM] Tom: diet.pdf • \u200e3 pages \u200e<attached: 13-diet.pdf>\n"
    "[21/05/2024, 12:09:00\u202fAM] Tom: after midnight\n"
    "[21/05/2024, 12:10:00\u202fPM] Tom: after noon\n"
)
ANDROID = (
    "5/20/24, 9:01 PM - Messages and calls are end-to-end encrypted. Tap to learn more.\n"
    "5/20/24, 9:02 PM - Ana: IMG-WA0001.jpg (file attached)\nlook at this\n"
    "5/20/24, 9:03 PM - Tom: <Media omitted>\n"
    "5/20/24, 9:03 PM - Tom: null\n"
    "5/20/24, 9:04 PM - Tom added Bo\n"
    "5/20/24, 9:05 PM - Tom: I love you <3\n"
    "5/20/24, 9:06 PM - Ana: note: buy milk - Tom: hi\n"
)
GERMAN = (
    "20.05.24, 21:02 - Nachrichten und Anrufe sind Ende-zu-Ende-verschlüsselt.\n"
    "20.05.24, 21:03 - Ana: Ich wohne in Wien\n"
    "20.05.24, 21:04 - Ana: <Medien ausgeschlossen>\n"
    "20.05.24, 21:05 - Ana: Diese Nachricht wurde gelöscht\n"
    "20.05.24, 21:06 - Ana: PLAN.pdf (Datei angehängt)\n"
)
CHINESE = (
    "2024/5/20 下午9:02 - 消息和通话已进行端到端加密。\n"
    "2024/5/20 下午9:03 - 小明: 我住在上海\n"
    "2024/5/20 下午9:04 - 小明: <省略影音内容>\n"
    "2024/5/20 下午9:05 - 小明: 此消息已删除\n"
    "2024/5/21 上午12:03 - 小明: 晚安\n"
)
SIGNAL = (
    "[2024-05-20 10:00] Ana: I live in Porto  \n"
    "[2024-05-20 10:01] Tom: ![photo.jpg](./media/2024-05-20_00_photo.jpg)  \n"
    "[2024-05-20 10:02] Tom: \n> I live in Rome\n> she said\n\nThat is new (to me)  \n"
    "[2024-05-20 10:03] Me: nice (- Tom: 👍, Bo: 🎉 -)  \n"
)
WECHAT = (
    "张三 2024-05-20 10:00:01\n我住在上海\n\n李四 2024-05-20 10:00:30\n[图片]\n\n"
    "张三 2024-05-20 10:01:00\n你撤回了一条消息\n\n李四 2024-05-20 10:01:30\n“李四”拍了拍“张三”\n\n"
    "李四 2024-05-20 10:02:00\n[文件] 饮食.pdf\n\n张三 2024-05-20 下午3:02:00\n我拍了拍他的肩膀\n"
)


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        (
            "whatsapp",
            IPHONE,
            [
                ("20 21:02", "Ana", "Hello\nsecond line\n\nfourth"),
                ("20 21:03", "Tom", "[attachment: 00000012-PHOTO.jpg]"),
                ("20 21:04", "Tom", "I live in Oslo"),
                ("20 21:07", "Tom", "see https://x.org"),
                ("20 21:09", "Tom", "diet.pdf • 3 pages [attachment: 13-diet.pdf]"),
                ("21 00:09", "Tom", "after midnight"),
                ("21 12:10", "Tom", "after noon"),
            ],
        ),
        (
            "whatsapp",
            ANDROID,
            [
                ("20 21:02", "Ana", "[attachment: IMG-WA0001.jpg]\nlook at this"),
                ("20 21:05", "Tom", "I love you <3"),
                ("20 21:06", "Ana", "note: buy milk - Tom: hi"),
            ],
        ),
        (
            "whatsapp",
            GERMAN,
            [
                ("20 21:03", "Ana", "Ich wohne in Wien"),
                ("20 21:06", "Ana", "[attachment: PLAN.pdf]"),
            ],
        ),
        (
            "whatsapp",
            CHINESE,
            [("20 21:03", "小明", "我住在上海"), ("21 00:03", "小明", "晚安")],
        ),
        (
            "signal",
            SIGNAL,
            [
                ("20 10:00", "Ana", "I live in Porto"),
                ("20 10:01", "Tom", "[file: photo.jpg]"),
                ("20 10:02", "Tom", "That is new (to me)"),
                ("20 10:03", "Ana", "nice"),
            ],
        ),
        (
            "wechat",
            WECHAT,
            [
                ("20 10:00", "张三", "我住在上海"),
                ("20 10:02", "李四", "[文件] 饮食.pdf"),
                ("20 15:02", "张三", "我拍了拍他的肩膀"),
            ],
        ),
    ],
    ids=["iphone", "android", "german", "chinese", "signal-export", "wechat"],
)
def test_text_exports(tmp_path: Path, name: str, text: str, wanted: list[tuple[str, ...]]) -> None:
    log = tmp_path / "chat.txt"
    log.write_text(text, "utf-8")
    assert detect(log).name == name
    items = list(open_log(log, me="Ana", timezone="Europe/Lisbon"))
    assert not [item.problem for item in items if item.problem]
    messages = [item.message for item in items if item.message]
    assert [(f"{m.said_at:%d %H:%M}", m.speaker, m.text) for m in messages] == wanted


def test_the_order_of_days_and_months_is_decided_over_the_whole_file(tmp_path: Path) -> None:
    dates = ["1/2/24", "2/2/24", "13/2/24", "3/3/24"]  # only the third one tells
    log = tmp_path / "chat.txt"
    log.write_text("".join(f"{date}, 10:00 - Ana: on {date}\n" for date in dates))
    told = [item.message.said_at.month for item in open_log(log) if item.message]
    assert told == [2, 2, 2, 3]


def test_instagram_names_what_was_sent_and_leaves_out_what_it_wrote_itself(tmp_path: Path) -> None:
    start = 1_716_200_000_000
    entries = [
        {"content": "caf\u00c3\u00a9 \u00f0\u009f\u0098\u0080"},
        {"photos": [{"uri": "messages/inbox/tom/photos/1.jpg"}]},
        {"audio_files": [{"uri": "a/b/voice.mp4"}], "content": "listen"},
        {"content": "Liked a message"},
        {"content": "Reacted \u00f0\u009f\u0098\u0080 to your message "},
        {"content": "Tom sent an attachment.", "share": {"link": "https://x.org"}},
        {"content": "secret", "is_unsent": True},
        {"content": "Tom started a video chat", "call_duration": 3},
        {"content": "I sent an attachment to the bank"},
    ]
    messages = [
        {"sender_name": "Tom", "timestamp_ms": start + 1000 * place, **entry}
        for place, entry in enumerate(entries)
    ]
    log = tmp_path / "message_1.json"
    log.write_text(json.dumps({"participants": [], "messages": messages[::-1], "title": "Tom"}))
    told = [item.message.text for item in open_log(log) if item.message]
    assert told == [
        "café 😀",
        "[photo: 1.jpg]",
        "listen\n[audio: voice.mp4]",
        "[link: https://x.org]",
        "I sent an attachment to the bank",
    ]


def test_telegram_names_what_was_sent(tmp_path: Path) -> None:
    entries = [
        {"photo": "photos/p1.jpg", "text": "look"},
        {"file": "stickers/s.webp", "media_type": "sticker", "sticker_emoji": "😀", "text": ""},
        {"file": "(File not included. Change data exporting settings to download.)", "text": ""},
        {"file": "voice/audio_1.ogg", "media_type": "voice_message", "text": ""},
        {"poll": {"question": "Pizza?", "answers": []}, "text": ""},
        {"location_information": {"latitude": 38.7, "longitude": -9.1}, "text": ""},
        {"text": "I moved to Oslo", "edited": "2024-05-20T10:09:00"},
    ]
    messages = [
        {
            "id": place,
            "type": "message",
            "date": f"2024-05-20T10:0{place}:00",
            "from": "Ana",
            **entry,
        }
        for place, entry in enumerate(entries)
    ]
    log = tmp_path / "result.json"
    log.write_text(
        json.dumps({"name": "x", "type": "personal_chat", "id": 1, "messages": messages})
    )
    told = [item.message.text for item in open_log(log) if item.message]
    assert told == [
        "look\n[photo: p1.jpg]",
        "[file: audio_1.ogg]",
        "[poll: Pizza?]",
        "[location: 38.7, -9.1]",
        "I moved to Oslo",
    ]


def test_a_zip_as_it_was_exported(tmp_path: Path) -> None:
    archive = tmp_path / "WhatsApp Chat - Tom.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("_chat.txt", IPHONE)
        made.writestr("00000012-PHOTO.jpg", b"\xff\xd8\xff\xe0 picture")
        made.writestr("__MACOSX/._chat.txt", b"\x00\x05\x16\x07")
        made.writestr("../../escape.txt", "[20/05/2024, 9:01:02] Eve: I live in Hell")
        made.writestr("bomb.txt", b"0" * (8 << 20))
    items = list(open_log(archive, timezone="Europe/Lisbon"))
    messages = [item.message for item in items if item.message]
    assert len(messages) == 7
    assert {m.conversation for m in messages} == {"Tom"}
    assert {m.source for m in messages} == {"WhatsApp Chat - Tom.zip/_chat.txt"}
    problems = [str(item.problem) for item in items if item.problem]
    assert len(problems) == 2
    assert any("escape.txt" in one for one in problems)
    assert any("bomb.txt" in one for one in problems)
    assert [file.name for file in tmp_path.iterdir()] == [archive.name]
