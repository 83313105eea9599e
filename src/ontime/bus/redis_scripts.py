"""What a Redis server does for a bus, in its own language.

Each script is one step for the server: nothing comes between its lines.  The key is
the stream; the first arguments are the group, the consumer and the lease in
milliseconds.
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
RECEIVE = f"""{_TIDY}
local entry
local cursor = '0-0'
repeat
  local claimed = redis.call('XAUTOCLAIM', KEYS[1], ARGV[1], ARGV[2], ARGV[3], cursor,
                             'COUNT', 1)
  cursor, entry = claimed[1], claimed[2][1]
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
return {{entry[1], entry[2][2], held[4]}}
"""
# Yes only to the consumer, and the delivery, that holds the entry.
_HOLDS = """
local held = redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[4], ARGV[4], 1)[1]
if not held then return -1 end
if held[2] ~= ARGV[2] or held[4] ~= tonumber(ARGV[5]) then return 0 end
"""
# JUSTID leaves the number of deliveries as it is.
REFRESH = f"""{_HOLDS}
if held[3] >= tonumber(ARGV[3]) then return 0 end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[4], 'JUSTID')
return 1
"""
ACKNOWLEDGE = f"""{_HOLDS}
redis.call('XACK', KEYS[1], ARGV[1], ARGV[4])
redis.call('XDEL', KEYS[1], ARGV[4])
return 1
"""
# An entry that has been idle for the time of a lease is anybody's.
GIVE_BACK = f"""{_HOLDS}
if held[3] >= tonumber(ARGV[3]) then return 0 end
redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[4], 'IDLE', ARGV[3], 'JUSTID')
return 1
"""
COUNT = """
return {redis.call('XLEN', KEYS[1]), redis.call('XPENDING', KEYS[1], ARGV[1])[1]}
"""
# In pages, so that the server has time for others in between.
COUNT_IDLE = """
local idle = redis.call('XPENDING', KEYS[1], ARGV[1], 'IDLE', ARGV[3], ARGV[4], '+',
                        ARGV[5])
if #idle == 0 then return {0, ''} end
return {#idle, idle[#idle][1]}
"""
OPEN = f"{_TIDY} tidy()"
EVERY = (OPEN, RECEIVE, REFRESH, ACKNOWLEDGE, GIVE_BACK, COUNT, COUNT_IDLE)
