"""What a Redis server does for a bus, in its own language.

Each script is one step for the server: nothing comes between its lines.  The keys are
the stream and that of the dead letters; the first arguments the group, the consumer,
the lease in milliseconds and how often a message may be delivered.
"""

__all__ = [
    "ACKNOWLEDGE",
    "COUNT",
    "COUNT_IDLE",
    "EVERY",
    "GIVE_BACK",
    "OPEN",
    "RECEIVE",
    "REFRESH",
]

_DIE = """
local function die(id, body, deliveries)
  redis.call('XADD', KEYS[2], '*', 'id', id, 'body', body, 'deliveries', deliveries)
  redis.call('XACK', KEYS[1], ARGV[1], id)
  redis.call('XDEL', KEYS[1], id)
end
"""
# A consumer that ended left its name in the group.  It can be forgotten as soon as it
# holds nothing; with an entry in its hands the entry would be forgotten too.
_TIDY = """
local function tidy()
  for _, fields in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
    local one = {}
    for n = 1, #fields, 2 do one[fields[n]] = fields[n + 1] end
    if one['pending'] == 0 and one['name'] ~= ARGV[2]
       and one['idle'] > 10 * tonumber(ARGV[3]) then
      redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], one['name'])
    end
  end
end
"""
# A consumer claims an entry whose lease has run out before it asks for a new one.
RECEIVE = f"""{_DIE}{_TIDY}
local most = tonumber(ARGV[4])
while true do
  local entry
  local cursor = '0-0'
  repeat
    local found = redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], cursor,
                             'COUNT', 1)
    cursor, entry = found[1], found[2][1]
  until entry or cursor == '0-0'
  if entry then
    tidy()
  else
    local fresh = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', 1,
                             'STREAMS', KEYS[1], '>')
    if not fresh then return false end
    entry = fresh[1][2][1]
  end
  local held = redis.call('XPENDING', KEYS[1], ARGV[1], entry[1], entry[1], 1)[1]
  if most == 0 or held[4] <= most then
    return {{entry[1], entry[2][2], held[4]}}
  end
  die(entry[1], entry[2][2], most)
end
"""
# Yes only to the consumer, and the delivery, that holds the entry.
_HOLDS = """
local held = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[5], ARGV[5], 1)[1]
if not held then return -1 end
if held[2] ~= ARGV[2] or held[4] ~= tonumber(ARGV[6]) then return 0 end
"""
# JUSTID leaves the number of deliveries as it is.
REFRESH = f"""{_HOLDS}
if held[3] >= tonumber(ARGV[3]) then return 0 end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[5], 'JUSTID')
return 1
"""
ACKNOWLEDGE = f"""{_HOLDS}
redis.call('XACK', KEYS[1], ARGV[1], ARGV[5])
redis.call('XDEL', KEYS[1], ARGV[5])
return 1
"""
# An entry that has been idle for the time of a lease is anybody's.
GIVE_BACK = f"""{_DIE}{_HOLDS}
if held[3] >= tonumber(ARGV[3]) then return 0 end
local most = tonumber(ARGV[4])
if most > 0 and held[4] >= most then
  local entry = redis.call('XRANGE', KEYS[1], ARGV[5], ARGV[5])[1]
  if entry then die(entry[1], entry[2][2], held[4]) end
else
  redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[5], 'IDLE', ARGV[3], 'JUSTID')
end
return 1
"""
COUNT = """
return {redis.call('XLEN', KEYS[1]), redis.call('XPENDING', KEYS[1], ARGV[1])[1],
        redis.call('XLEN', KEYS[2])}
"""
# In pages, so that the server has time for others in between.
COUNT_IDLE = """
local idle = redis.call('XPENDING', KEYS[1], ARGV[1], 'IDLE', ARGV[3], ARGV[5], '+',
                        ARGV[6])
if #idle == 0 then return {0, ''} end
return {#idle, idle[#idle][1]}
"""
OPEN = f"{_TIDY} tidy()"
EVERY = (OPEN, RECEIVE, REFRESH, ACKNOWLEDGE, GIVE_BACK, COUNT, COUNT_IDLE)
