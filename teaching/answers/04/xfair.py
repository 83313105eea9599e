"""Answers to exercise 04-xfair, right and wrong."""

# Why this works: A dict keeps its keys in the order in which they came. A customer is
# taken out for a turn, and put back at the end as long as jobs are left. The stub has
# one queue for all.
SOLUTION = """
class Fair:
    def __init__(self):
        self.queues = {}  # in the order of their turns

    def put(self, customer, job):
        self.queues.setdefault(customer, deque()).append(job)

    def get(self):
        if not self.queues:
            raise LookupError("nothing waits")
        customer = next(iter(self.queues))
        queue = self.queues.pop(customer)
        job = queue.popleft()
        if queue:
            self.queues[customer] = queue
        return job

    def __len__(self):
        return sum(map(len, self.queues.values()))
"""

STUB = "a queue for each customer"

RIGHT = """
## customers in a queue of turns
class Fair:
    def __init__(self):
        self.turns, self.jobs = deque(), {}
    def put(self, customer, job):
        if not self.jobs.get(customer):
            self.turns.append(customer)
            self.jobs[customer] = []
        self.jobs[customer].append(job)
    def get(self):
        customer = self.turns.popleft()
        job = self.jobs[customer].pop(0)
        if self.jobs[customer]:
            self.turns.append(customer)
        return job
    def __len__(self):
        return sum(len(jobs) for jobs in self.jobs.values())
"""

WRONG = """
## turns that end once nothing waits => make a new queue for it
class Fair:
    def __init__(self):
        self.queues = {}
        self.turns = self.rounds()
    def put(self, customer, job):
        self.queues.setdefault(customer, deque()).append(job)
    def rounds(self):
        while self.queues:
            customer = next(iter(self.queues))
            queue = self.queues.pop(customer)
            job = queue.popleft()
            if queue:
                self.queues[customer] = queue
            yield job
    def get(self):
        for job in self.turns:
            return job
        raise LookupError
    def __len__(self):
        return sum(map(len, self.queues.values()))
## a stack => a queue for each customer
class Fair:
    def __init__(self):
        self.jobs = []
    def put(self, customer, job):
        self.jobs.append(job)
    def get(self):
        return self.jobs.pop()
    def __len__(self):
        return len(self.jobs)
## the first customer first => who has had a turn goes to the end
class Fair:
    def __init__(self):
        self.queues = {}
    def put(self, customer, job):
        self.queues.setdefault(customer, deque()).append(job)
    def get(self):
        for queue in self.queues.values():
            if queue:
                return queue.popleft()
        raise LookupError
    def __len__(self):
        return sum(map(len, self.queues.values()))
## counts customers => len() says 2
-        if not self.queues:
-            raise LookupError("nothing waits")
@
-        return sum(map(len, self.queues.values()))
+        return len(self.queues)
## a turn for each job that came => who has had a turn goes to the end
class Fair:
    def __init__(self):
        self.queues, self.turns = {}, deque()
    def put(self, customer, job):
        self.queues.setdefault(customer, deque()).append(job)
        if customer not in self.turns:
            self.turns.append(customer)
    def get(self):
        customer = self.turns.popleft()
        queue = self.queues[customer]
        job = queue.popleft()
        if queue:
            self.turns.appendleft(customer)
        return job
    def __len__(self):
        return sum(map(len, self.queues.values()))
## who comes again keeps the old place => joins at the end of the turns, once
class Fair:
    def __init__(self):
        self.turns, self.jobs = deque(), {}
    def put(self, customer, job):
        if customer not in self.jobs:
            self.turns.append(customer)
        self.jobs.setdefault(customer, []).append(job)
    def get(self):
        for _ in range(len(self.turns)):
            customer = self.turns.popleft()
            self.turns.append(customer)
            if self.jobs[customer]:
                return self.jobs[customer].pop(0)
        raise LookupError
    def __len__(self):
        return sum(map(len, self.jobs.values()))
## counts what was put and not what was got => forget empty queues
         self.queues = {}  # in the order of their turns
+        self.count = 0
@
         self.queues.setdefault(customer, deque()).append(job)
+        self.count += 1
@
-        return sum(map(len, self.queues.values()))
+        return self.count
## nothing waits, so None => raise a LookupError there
-            raise LookupError("nothing waits")
+            return None
"""
