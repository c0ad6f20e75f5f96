/**
 * `takeTokens` for Redis, by its own clock, for many callers in turn, each of whom also takes a place where KEYS[2] is
 * given: all or nothing. KEYS[1] is the state of the rate, KEYS[2] a hash of what each gateway holds and until when that
 * is true. ARGV: microseconds a token, burst, cost, callers; with places: this gateway, the most places, what this gateway
 * holds, microseconds that this is true. Answers how many were allowed, and as it stands then: tokens remaining, retry
 * after and reset in whole microseconds, and 1 where places were wanting.
 */
export const takeLua = `
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local cost, callers = tonumber(ARGV[3]) * interval, tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = now + burst * interval
local arrival = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
-- what costs nothing only asks
local allowed = cost == 0 and callers or math.max(0, math.min(callers, math.floor((full - arrival) / cost)))
local wanting = 0
if KEYS[2] then
  local gateway, held = ARGV[5], tonumber(ARGV[7])
  local free = tonumber(ARGV[6]) - held
  local all = redis.call('HGETALL', KEYS[2])
  for i = 1, #all, 2 do
    local count, till = string.match(all[i + 1], '(%d+) (%d+)')
    if tonumber(till) <= now then
      redis.call('HDEL', KEYS[2], all[i])
    elseif all[i] ~= gateway then
      free = free - count
    end
  end
  if free < callers and free <= allowed then
    allowed, wanting = math.max(0, free), 1
  end
  if held + allowed > 0 then
    redis.call('HSET', KEYS[2], gateway, string.format('%d %.0f', held + allowed, now + ARGV[8]))
    redis.call('PEXPIRE', KEYS[2], math.ceil(ARGV[8] / 1000))
  end
end
if allowed * cost > 0 then
  arrival = arrival + allowed * cost
  redis.call('SET', KEYS[1], string.format('%.17g', arrival), 'PX', math.ceil((arrival - now) / 1000))
end
local remaining = math.max(0, math.floor((full - arrival) / interval))
return { allowed, remaining, math.max(0, math.ceil(arrival + cost - full)), math.ceil(arrival - now), wanting }
`;

/** Tells what a gateway holds. KEYS[1] is the hash of places; ARGV: the gateway, what it holds, microseconds that this is true. */
export const tellLua = `
if ARGV[2] == '0' then return redis.call('HDEL', KEYS[1], ARGV[1]) end
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d %.0f', ARGV[2], time[1] * 1000000 + time[2] + ARGV[3]))
return redis.call('PEXPIRE', KEYS[1], math.ceil(ARGV[3] / 1000))
`;
