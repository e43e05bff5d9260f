import type { KeyValueService } from 'messaging-automation/webhooks';

/** Redis by Upstash's REST API, with `fetch` only: each operation is one command, posted as JSON. */
export function upstash({ url, token }: { readonly url: string; readonly token: string }): KeyValueService {
  async function command(...words: readonly string[]): Promise<unknown> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}` },
      body: JSON.stringify(words),
    });
    const received: { result?: unknown; error?: string } = Object(await response.json());
    if (!response.ok || received.error !== undefined)
      throw new Error(`Upstash responded with ${response.status}.`);
    return received.result;
  }

  return {
    async get(key) {
      const value = await command('GET', key);
      return typeof value === 'string' ? value : undefined;
    },
    set: (key, value, ttl) => command('SET', key, value, 'PX', `${ttl}`),
    setIfAbsent: async (key, value, ttl) => (await command('SET', key, value, 'NX', 'PX', `${ttl}`)) === 'OK',
    replaceIfEqual: async (key, expected, value, ttl) =>
      (await command('EVAL', replaceIfEqual, '1', key, expected, value, `${ttl}`)) === 1,
    deleteIfEqual: async (key, expected) => (await command('EVAL', deleteIfEqual, '1', key, expected)) === 1,
    /** Optional: it finds the sends whose outcome is unknown. */
    async *list(keyPrefix, valuePrefix) {
      const pattern = `${keyPrefix.replace(/[*?[\]\\]/g, '\\$&')}*`;
      let cursor = '0';
      do {
        const [next, found] = arrayOf(await command('SCAN', cursor, 'MATCH', pattern, 'COUNT', '1000'));
        const keys = arrayOf(found).map(String);
        const values = keys.length > 0 ? arrayOf(await command('MGET', ...keys)) : [];
        for (const [place, key] of keys.entries()) {
          const value = values[place]; // null if the key expired meanwhile
          if (typeof value === 'string' && value.startsWith(valuePrefix)) yield { key, value };
        }
        cursor = String(next);
      } while (cursor !== '0');
    },
  };
}

function arrayOf(result: unknown): readonly unknown[] {
  if (Array.isArray(result)) return result;
  throw new TypeError('Upstash did not respond with a list.');
}

const replaceIfEqual = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`;

const deleteIfEqual = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;
