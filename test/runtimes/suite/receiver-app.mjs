// Receivers to send deliveries to, by path, as an application has them: behind the Fetch adapter, or that of node:http.

export const secret = 'whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH';

function receiversFor({ createWebhookReceiver }, handled) {
  const receiver = (handler, options = {}) =>
    createWebhookReceiver({
      secret,
      maxBodyBytes: 4096,
      onError: () => undefined, // Where it is not told, it prints.
      onRefused: () => undefined,
      ...options,
    }).on('message.received', handler);
  const handle = (event) => handled.push(event.data.body);
  return {
    '/webhooks': receiver(handle),
    '/consumed': receiver(handle),
    '/throws': receiver(() => {
      throw new Error('The handler failed.');
    }),
    '/background': receiver(
      async (event) => {
        await new Promise((resolve) => setTimeout(resolve, 120)); // work after the response, for which a runtime has to stay
        handle(event);
      },
      { deadline: 100 },
    ),
  };
}

/** The receivers behind the Fetch adapter. Takes what the platform passes after the request, too. */
export function fetchApp(webhooks) {
  const handled = [];
  const handlers = Object.fromEntries(
    Object.entries(receiversFor(webhooks, handled)).map(([path, receiver]) => [
      path,
      webhooks.toFetchHandler(receiver),
    ]),
  );
  return async (request, ...platform) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/handled') return Response.json(handled);
    if (pathname === '/consumed') await request.arrayBuffer();
    return handlers[pathname](request, ...platform);
  };
}

/** The receivers behind the adapter for node:http. */
export function nodeApp(webhooks) {
  const handled = [];
  const receivers = receiversFor(webhooks, handled);
  return async (request, response) => {
    if (request.url === '/handled') return response.end(JSON.stringify(handled));
    if (request.url === '/consumed') for await (const _ of request);
    return webhooks.toNodeHandler(receivers[request.url])(request, response);
  };
}
