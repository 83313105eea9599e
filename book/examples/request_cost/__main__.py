"""Print the cost of a request, in sequence and through gather."""

from statistics import median

from . import Server

WAYS = "sequence", "gather"


def main() -> None:
    """Measure both ways in turn, with more and more work in each part."""
    print("parts  rounds  in sequence   gather   ratio  (requests per CPU second)")
    with Server() as server:
        for parts, rounds in (2, 0), (10, 0), (10, 10), (10, 100):
            pairs = [
                [server.drive(way, parts, rounds, 0.3).each for way in WAYS]
                for _ in range(5)
            ]
            sequence, gather = (median(costs) for costs in zip(*pairs, strict=True))
            ratio = median(second / first for first, second in pairs)
            served = f"{1 / sequence:11,.0f}  {1 / gather:7,.0f}"
            print(f"{parts:5}  {rounds:6}  {served}  {ratio:6.2f}")


if __name__ == "__main__":
    main()
