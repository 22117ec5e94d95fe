"""A chat with memory as it is written for mem0. With mem0 the import would read `from mem0 import Memory`.

Run it: python examples/mem0_swap.py
"""

from graphmem.compat.mem0 import Memory

memory = Memory()


def answer(message: str, memories: list[str]) -> str:
    """Stands for a language model: says what it was told about the user."""
    known = "; ".join(memories) or "nothing yet"
    return f"(to {message!r}, knowing: {known})"


def chat(message: str, user_id: str = "default_user") -> str:
    """One turn: recall, answer, remember."""
    relevant = memory.search(query=message, filters={"user_id": user_id}, top_k=3)
    reply = answer(message, [entry["memory"] for entry in relevant["results"]])
    turn = [{"role": "user", "content": message}, {"role": "assistant", "content": reply}]
    memory.add(turn, user_id=user_id)
    return reply


def main() -> None:
    """A short talk, then what is known, changed, and deleted."""
    for message in (
        "I'm allergic to peanuts.",
        "I live in London.",
        "Where do I live?",
        "What must I not eat?",
    ):
        print(chat(message, user_id="ana"))

    everything = memory.get_all(filters={"user_id": "ana"})["results"]
    print("known:", sorted(entry["memory"] for entry in everything))
    home = next(entry for entry in everything if "London" in entry["memory"])
    memory.update(home["id"], "I live in Lisbon.")
    for row in memory.history(home["id"]):
        print(row["event"], row["old_memory"], "->", row["new_memory"])
    memory.delete_all(user_id="ana")
    print("left:", memory.get_all(filters={"user_id": "ana"})["results"])


if __name__ == "__main__":
    main()
    memory.close()
