from __future__ import annotations

import time
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmem_extractors.reminders import find_reminders
from graphmem_extractors.times import Grammar

SAID = datetime.fromisoformat("2025-05-14T10:30:00+02:00")  # a Wednesday
TIMES = Grammar()
PIECES = [
    "remind me", "to", "when I", "tomorrow", "at 5", "a week before", ",", ".", "call Ana", "next time", "nag me", "after work", '"', "12 June",
    "提醒我", "路过", "超市", "买", "牛奶", "明天", "记得", "提前", "两天", "，", "。", "下班", "叫我", "见到", "老王", "的话", "前一晚",
]  # fmt: skip

# text -> action, at, rule, routine, keywords
ENGLISH = [
    ("Remind me to call the dentist tomorrow at 3pm", "call the dentist", "2025-05-15T15:00:00+02:00", None, None, ()),
    ("please remind me on Friday to send the invoice", "send the invoice", "2025-05-16", None, None, ()),
    ("can you remind me about the parcel tonight?", "the parcel", "2025-05-14T20:00:00+02:00", None, None, ()),
    ("Remind me in 20 minutes to turn the oven off", "turn the oven off", "2025-05-14T10:50:00+02:00", None, None, ()),
    ("every Monday at 9 remind me to file the timesheet", "file the timesheet", "2025-05-19T09:00:00+02:00", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", None, ()),
    ("don't let me forget to renew the car insurance by Friday", "renew the car insurance", "2025-05-16", None, None, ()),
    ("before bed, take the antihistamine", "take the antihistamine", None, None, "bedtime", ()),
    ("wake me up at 6 tomorrow", "wake me up", "2025-05-15T06:00:00+02:00", None, None, ()),
    ("remind me to water the plants when I get home", "water the plants", None, None, "at_home", ()),
    ("next time I talk to Irina, ask her for the recipe", "ask her for the recipe", None, None, None, ("Irina",)),
    ("next time I see Bogdan ask about the ladder", "ask about the ladder", None, None, None, ("Bogdan",)),
    ("when I'm at the pharmacy, get plasters", "get plasters", None, None, None, ("pharmacy",)),
    ("if I walk past the bakery, buy rye bread", "buy rye bread", None, None, None, ("bakery",)),
    ("the exam is on 12 June, nudge me a week before", "the exam is", "2025-06-05", None, None, ()),
    ("Car service on Monday at 8 - ping me the day before", "Car service", "2025-05-18", None, None, ()),
    ("remember to bring the charger on Saturday", "bring the charger", "2025-05-17", None, None, ()),
    ("don't forget to defrost the chicken tonight", "defrost the chicken", "2025-05-14T20:00:00+02:00", None, None, ()),
    ("pick up the parcel on the way home", "pick up the parcel", None, None, "after_work", ()),
    ("I have to take the blue pills at 9am and 9pm, remind me", "take the blue pills", "2025-05-14T21:00:00+02:00", "FREQ=DAILY;BYHOUR=9,21;BYMINUTE=0", None, ()),
    ("ping me every weekday at 4 to stretch", "stretch", "2025-05-14T16:00:00+02:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=16;BYMINUTE=0", None, ()),
    ("set a reminder for 5pm: call Mum", "call Mum", "2025-05-14T17:00:00+02:00", None, None, ()),
    ("Give me a nudge on Thursday about the rent", "the rent", "2025-05-15", None, None, ()),
    ("once I'm home I need to hang up the laundry", "hang up the laundry", None, None, "at_home", ()),
    ("whenever I open the fridge remind me that the blue box is for Nadia", "the blue box is for Nadia", None, None, None, ("fridge",)),
    ("after lunch, email the landlord about the boiler", "email the landlord about the boiler", None, None, "after_lunch", ()),
    ("could you nag me at noon to drink some water?", "drink some water", "2025-05-14T12:00:00+02:00", None, None, ()),
    ("remind me about Irma's birthday a week before, it's 3 June", "Irma's birthday", "2025-05-27", None, None, ()),
    ("I need to return the library books by 22 May, remind me the day before", "return the library books", "2025-05-21", None, None, ()),
    ("every second Tuesday evening give me a nudge to put the recycling out", "put the recycling out", "2025-05-20T19:00:00+02:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", None, ()),
    ("nag me every evening until Friday to practise the speech", "practise the speech", "2025-05-14T19:00:00+02:00", "FREQ=DAILY;UNTIL=20250516T215959Z", None, ()),
    ("Every day at 21:00 tell me to go to bed", "go to bed", "2025-05-14T21:00:00+02:00", "FREQ=DAILY;BYHOUR=21;BYMINUTE=0", None, ()),
    ("When Ola comes over, give her back the tent", "give her back the tent", None, None, None, ("Ola",)),
    ("Next time I'm at the hardware store I need picture hooks", "picture hooks", None, None, None, ("hardware store",)),
    ("I'm out of cat food. when I pass the pet shop remind me", "I'm out of cat food", None, None, None, ("pet shop",)),
    ("After dinner I have to call the vet, remind me", "call the vet", None, None, "after_dinner", ()),
    ("tomorrow first thing: call the plumber", "call the plumber", "2025-05-15T07:00:00+02:00", None, None, ()),
    ("the warranty runs out on 30 Sept 2026. give me a heads up a month early", "the warranty runs out", "2026-08-30", None, None, ()),
    ("buy stamps if I walk by the post office", "buy stamps", None, None, None, ("post office",)),
    ("set an alarm for 6:15", "set an alarm", "2025-05-15T06:15:00+02:00", None, None, ()),
    ("don't forget: passports on Friday!", "passports", "2025-05-16", None, None, ()),
    ("reminder pls: tomorrow 8am blood test, no breakfast", "blood test, no breakfast", "2025-05-15T08:00:00+02:00", None, None, ()),
    ("when I get paid on Friday I have to send Lee 40 quid, nudge me", "send Lee 40 quid", "2025-05-16", None, None, ("paid",)),
    ("next time we talk about Berlin, ask me about the flat", "ask me about the flat", None, None, None, ("Berlin",)),
    ("if you see me talking about marathons remind me to rest my knee", "rest my knee", None, None, None, ("marathons",)),
    ("after I drop off the kids I need to fill up the car", "fill up the car", None, None, None, ("kids",)),
    ("the fern needs water every third day, prod me", "the fern needs water", "2025-05-14", "FREQ=DAILY;INTERVAL=3", None, ()),
]  # fmt: skip
CHINESE = [
    ("明天下午三点提醒我给牙医打电话", "给牙医打电话", "2025-05-15T15:00:00+02:00", None, None, ()),
    ("下班顺路去药店买创可贴", "买创可贴", None, None, "after_work", ("药店",)),
    ("睡前提醒我吃药", "吃药", None, None, "bedtime", ()),
    ("每周一早上九点提醒我交周报", "交周报", "2025-05-19T09:00:00+02:00", "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", None, ()),
    ("下次见到老周记得问他梯子的事", "问他梯子的事", None, None, None, ("老周",)),
    ("路过面包店的话买个全麦面包", "买个全麦面包", None, None, None, ("面包店",)),
    ("周六记得带充电器", "带充电器", "2025-05-17", None, None, ()),
    ("别忘了明天交房租", "交房租", "2025-05-15", None, None, ()),
    ("后天早上六点叫我起床", "叫我起床", "2025-05-16T06:00:00+02:00", None, None, ()),
    ("20分钟后提醒我关火", "关火", "2025-05-14T10:50:00+02:00", None, None, ()),
    ("到家先把洗衣机里的衣服晾了", "把洗衣机里的衣服晾了", None, None, "at_home", ()),
    ("6月12号考试，提前一周提醒我复习", "复习", "2025-06-05", None, None, ()),
    ("下周一体检，前一晚提醒我别吃东西", "别吃东西", "2025-05-18", None, None, ()),
    ("每天晚上十点喊我关空调", "关空调", "2025-05-14T22:00:00+02:00", "FREQ=DAILY;BYHOUR=22;BYMINUTE=0", None, ()),
    ("千万别让我忘了周五还图书馆的书", "还图书馆的书", "2025-05-16", None, None, ()),
    ("等我到了公司提醒我打印合同", "打印合同", None, None, "at_work", ()),
    ("经过快递站顺便把包裹取了", "把包裹取了", None, None, None, ("快递站",)),
    ("到时候提醒我一声，5月20号给妈妈订花", "给妈妈订花", "2025-05-20", None, None, ()),
    ("午饭后提醒我给房东回邮件", "给房东回邮件", None, None, "after_lunch", ()),
    ("见到小梁记得把钥匙给他", "把钥匙给他", None, None, None, ("小梁",)),
    ("每月15号提醒我还信用卡", "还信用卡", "2025-05-15", "FREQ=MONTHLY;BYMONTHDAY=15", None, ()),
    ("今晚八点催我去跑步", "去跑步", "2025-05-14T20:00:00+02:00", None, None, ()),
    ("下午四点喊我喝水", "喝水", "2025-05-14T16:00:00+02:00", None, None, ()),
    ("下回去宜家记得买灯泡", "买灯泡", None, None, None, ("宜家",)),
    ("记得提醒我下周三带护照", "带护照", "2025-05-21", None, None, ()),
    ("等会儿到超市记得买酱油", "买酱油", None, None, None, ("超市",)),
    ("护照明年3月到期，提前半年提醒我", "护照到期", "2025-09-01", None, None, ()),
    ("见到李老师帮我问下成绩", "问下成绩", None, None, None, ("李老师",)),
    ("等老陈回来，把伞还他", "把伞还他", None, None, None, ("老陈",)),
    ("回家路上买点水果", "买点水果", None, None, "after_work", ()),
    ("晚上九点提醒一下，要给女儿打电话", "给女儿打电话", "2025-05-14T21:00:00+02:00", None, None, ()),
    ("到点叫我吃药，早八点晚八点", "吃药", "2025-05-14T20:00:00+02:00", "FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", None, ()),
    ("国庆前一周提醒我抢票", "抢票", "2025-09-24", None, None, ()),
    ("周末去看爸妈，记得把药带上", "把药带上", "2025-05-17", None, None, ()),
    ("明天出门前提醒我拿伞", "拿伞", "2025-05-15T08:30:00+02:00", None, None, ()),
    ("每隔四小时提醒我滴眼药水", "滴眼药水", None, "FREQ=HOURLY;INTERVAL=4", None, ()),
    ("设个闹钟，六点半", "设个闹钟", "2025-05-15T06:30:00+02:00", None, None, ()),
    ("一提到老赵就提醒我他还欠我钱", "他还欠我钱", None, None, None, ("老赵",)),
    ("回上海了记得联系中介", "联系中介", None, None, None, ("上海",)),
    ("快递一到就提醒我核对发票", "核对发票", None, None, None, ("快递",)),
    ("发工资那天提醒我还小刘两百", "还小刘两百", None, None, None, ("发工资",)),
    ("等放假提醒我办护照", "办护照", None, None, None, ("放假",)),
]  # fmt: skip
NONE_ENGLISH = [
    "I usually call mum after dinner", "Before I moved here I had a car", "Please remember that I'm allergic to nuts", "don't forget I'm vegetarian", "I set an alarm for 6 yesterday", "After we met I took a photo",
    "dentist on Tuesday at 3", "I run every morning before work", "you reminded me to call her", "she told me to buy milk",
    "get me a recipe for lentil soup", "this song reminds me of summer", "did I remind you about Friday?",
    "when I was at school, I took the bus", "after work I usually go for a run", "he will remind me tomorrow",
    "tell me about the weather tomorrow", "I asked her to remind me", "don't remind me lol", "text me when you arrive?",
    "when I get home I'm always tired", "What do I have to do after work?", "remember when we went to Crete?",
    "I bought milk after work", "call me Ishmael", "Book club is on Friday", "I forgot to call Mum yesterday",
    "My phone buzzes when I get home", "write a story where the hero says: remind me to buy bread", "if I get a dog I will walk it daily",
    'the sign said "remind me to smile"', "meeting with Ana on Friday at 10", "can you check the weather for Sunday?",
    "once I lived in Rome", "I was at lunch with Tom", "Next time, please answer shorter.",
]  # fmt: skip
NONE_CHINESE = [
    "我到家就看电视", "我妹老提醒我生日", "记得我不吃香菜", "我记得去年去过", "医生让我六月复查", "我一般晚饭后给妈打电话", "等我有钱了买房",
    "周二下午三点看牙医", "我每天早上跑步", "谢谢你提醒我", "他提醒我交房租", "叫我小王就行", "我叫王芳", "下班去超市买了牛奶",
    "给我一个菜谱", "我在银行上班", "你还记得我生日吗", "记得去年我们去过三亚", "我妈让我买酱油", "到单位才发现没带钥匙",
    "昨天路过面包店买了个面包", "我下班一般去健身", "这首歌让我想起夏天", "明天开会", "我睡前喝一杯牛奶", "以后叫我阿明",
    "下次再聊", "回家路上堵车了", "下班后我要去健身房吗？", "上次你提醒过我了", "见到你很高兴", "帮我写封邮件",
    "到北京出差三天", "老板叫我加班", "忘了带伞", "回头再说吧", "路过你家楼下看见你的车了",
]  # fmt: skip


@pytest.mark.parametrize("case", [(*row, "en") for row in ENGLISH] + [(*row, "zh") for row in CHINESE], ids=lambda c: c[0])  # fmt: skip
def test_a_wish_becomes_cue_and_action(case):
    text, action, at, rule, routine, keywords, language = case
    (found,) = find_reminders(text, said_at=SAID, language=language, times=TIMES)
    when = found.at.iso if found.at else None
    assert (found.action, when, found.rule, found.routine, found.keywords) == (action, at, rule, routine, keywords)  # fmt: skip
    assert found.cue
    assert found.cue in text
    assert text[slice(*found.span)].strip() == found.text


@pytest.mark.parametrize("text", NONE_ENGLISH)
def test_what_is_no_reminder_in_english(text):
    assert find_reminders(text, said_at=SAID, language="en", times=TIMES) == ()


@pytest.mark.parametrize("text", NONE_CHINESE)
def test_what_is_no_reminder_in_chinese(text):
    assert find_reminders(text, said_at=SAID, language="zh", times=TIMES) == ()


def test_an_order_without_a_cue_is_kept_and_less_sure():
    (found,) = find_reminders(
        "remind me to pay the electricity bill", said_at=SAID, language="en", times=TIMES
    )
    assert (found.cue, found.action, found.at) == ("", "pay the electricity bill", None)
    assert found.confidence < 0.8


def test_times_found_before_are_taken():
    text = "remind me tomorrow to call Ute"
    spans = TIMES.find(text, said_at=SAID, language="en")
    assert find_reminders(text, said_at=SAID, language="en", times=TIMES, spans=spans) == find_reminders(text, said_at=SAID, language="en", times=TIMES)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=10), st.sampled_from(["en", "zh"]))
@settings(max_examples=250, deadline=None)
def test_any_text_is_read(pieces, language):
    text = " ".join(pieces) if language == "en" else "".join(pieces)
    for found in find_reminders(text, said_at=SAID, language=language, times=TIMES):
        assert found.action
        assert found.cue in text


@pytest.mark.parametrize("piece", ["remind me to ", "when i see ", "提醒我", "路过", "记得", "a "])
def test_long_texts_are_read_in_bounded_time(piece):
    started = time.process_time()
    find_reminders(
        piece * (100_000 // len(piece)),
        said_at=SAID,
        language="zh" if ord(piece[0]) > 255 else "en",
        times=TIMES,
    )
    assert time.process_time() - started < 2
