"""Answers to exercise 04-predict, right and wrong."""

STUB = "does it end with a return statement"

RIGHT = """
## lateness
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - (interval - beat_phase))
"""

WRONG = """
## takes off the whole interval => had passed when the storm began
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - interval)
## the phase as a share of the interval => interval 0.5 s
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - interval * (1 - beat_phase))
## one job => the jobs need jobs x cpu seconds in all
def lateness(jobs, cpu, beat_phase, interval):
    return cpu if jobs else 0.0
## the whole storm => how long the whole storm
def lateness(jobs, cpu, beat_phase, interval):
    return jobs * cpu
## takes off what has passed instead of what is left => what is left of the interval
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - beat_phase)
## never in time => never less
def lateness(jobs, cpu, beat_phase, interval):
    return jobs * cpu - (interval - beat_phase)
## stub lateness => returned no number
def lateness(jobs, cpu, beat_phase, interval):
    ...
## lambda jobs, cpu, beat_phase, interval: '1.5 => not a number
lateness = lambda jobs, cpu, beat_phase, interval: '1.5'
## lambda jobs, cpu, beat_phase, interval: floa => says nan
lateness = lambda jobs, cpu, beat_phase, interval: float('nan')
## lambda jobs, cpu: 1.5 => parameters
lateness = lambda jobs, cpu: 1.5
## lambda jobs, cpu, beat_phase, interval: obje => <object object>, which
lateness = lambda jobs, cpu, beat_phase, interval: object()
## 1.5 => not a function
lateness = 1.5
"""
