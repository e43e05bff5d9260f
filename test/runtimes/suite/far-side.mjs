// What the checks know of the other process: the reference server, and the service that fails as it is told.
// Only `fetch` is used, so that a worker can do it too.

export const phone = '+442071838750';
export const otherPhone = '+442071838751';
export const templates = [{ id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' }];

/** A client of a fresh workspace, so that no check sees what another one did. */
export async function freshClient({ sdk, farSide, clientOptions }, seed = {}) {
  const response = await fetch(`${farSide.url}/control/workspaces`, {
    method: 'POST',
    body: JSON.stringify({ templates, ...seed }),
  });
  const { apiKey } = await response.json();
  return new sdk.MessagingAutomation({ apiKey, baseUrl: farSide.baseUrl, ...clientOptions });
}

/** A service that behaves in one way for one check, and counts the requests that arrive. */
export function faultyService({ sdk, farSide, clientOptions }, fault) {
  const id = crypto.randomUUID();
  const arrivals = async (atLeast) => {
    const response = await fetch(`${farSide.url}/control/arrivals/${id}?atLeast=${atLeast}`);
    return (await response.json()).count;
  };
  return {
    /** A client whose waits between attempts are over at once. */
    client: (options = {}) =>
      new sdk.MessagingAutomation({
        apiKey: 'canary_key_Zq7',
        baseUrl: `${farSide.url}/${fault}/${id}/api`,
        backoff: { initial: 0, max: 0 },
        ...clientOptions,
        ...options,
      }),
    /** How many requests have arrived. */
    requests: () => arrivals(0),
    /** Resolves when this many have. */
    received: arrivals,
  };
}
