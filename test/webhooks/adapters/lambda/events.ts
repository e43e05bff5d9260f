// The events that AWS documents, cut down to what an HTTP request brings along.

const sourceHeaders = { 'Content-Type': 'application/json', 'X-Forwarded-For': '127.0.0.1' };

interface Parts {
  readonly body?: string | null;
  readonly isBase64Encoded?: boolean;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
}

/** REST API, or HTTP API with payload format 1.0: "Input format of a Lambda function for proxy integration". */
export function restEvent({ body = null, isBase64Encoded = false, method = 'POST', headers = {} }: Parts) {
  const several = everyValue({ ...sourceHeaders, ...headers });
  return {
    path: '/webhooks',
    httpMethod: method,
    headers: lastValue(several),
    multiValueHeaders: several,
    requestContext: { httpMethod: method, path: '/webhooks', stage: '$default' },
    body,
    isBase64Encoded,
  };
}

/** HTTP API or function URL, with payload format 2.0: lowercase names, several values joined with commas. */
export function httpEvent({ body, isBase64Encoded = false, method = 'POST', headers = {} }: Parts) {
  const several = everyValue({ ...sourceHeaders, ...headers });
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/webhooks',
    rawQueryString: '',
    headers: Object.fromEntries(
      Object.entries(several).map(([name, values]) => [name.toLowerCase(), values.join(',')]),
    ),
    requestContext: { http: { method, path: '/webhooks' }, stage: '$default' },
    ...(typeof body === 'string' && { body }), // left out where there is none
    isBase64Encoded,
  };
}

/** An Application Load Balancer: lowercase names, and of several values the last. */
export function balancerEvent({ body, isBase64Encoded = false, method = 'POST', headers = {} }: Parts) {
  const several = everyValue({ ...sourceHeaders, ...headers });
  return {
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/a/6d' } },
    httpMethod: method,
    path: '/webhooks',
    headers: lowercase(lastValue(several)),
    body: body ?? '',
    isBase64Encoded,
  };
}

/** The same with multi-value headers switched on, which then stand in place of the others. */
export function multiValueBalancerEvent(parts: Parts) {
  const { headers: _, ...event } = balancerEvent(parts);
  return { ...event, multiValueHeaders: lowercase(everyValue({ ...sourceHeaders, ...parts.headers })) };
}

/** A function of Netlify in its older form, which takes an event: Lambda's of a REST API without its context. */
export function netlifyEvent(parts: Parts) {
  const { path, httpMethod, headers, multiValueHeaders, body, isBase64Encoded } = restEvent(parts);
  return {
    path,
    httpMethod,
    rawUrl: `https://example.netlify.app${path}`,
    headers: lowercase(headers),
    multiValueHeaders: lowercase(multiValueHeaders),
    body,
    isBase64Encoded,
  };
}

/** Every kind of event, by the name of what sends it. */
export const senders = {
  'REST API': restEvent,
  'HTTP API': httpEvent,
  ALB: balancerEvent,
  'ALB, multi-value': multiValueBalancerEvent,
  Netlify: netlifyEvent,
} as const;

function everyValue(headers: Readonly<Record<string, string | readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? [value] : [...value]]),
  );
}

function lastValue(headers: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.at(-1) ?? '']));
}

function lowercase<Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
