import * as sdk from 'messaging-automation';
import * as webhooks from 'messaging-automation/webhooks';
import { client } from './client.mjs';
import { faults } from './faults.mjs';
import { runChecks } from './run-checks.mjs';
import { webhooks as webhookChecks } from './webhooks.mjs';

/** Runs the checks in a worker, and more of them where it has more, for a request that tells of the far side. */
export async function response(request, moreParts = {}, moreEntries = {}) {
  // A worker has nothing that prints values; JSON and String show what there is.
  const runtime = { tellsRefusal: false, repeatsWithoutBody: false, inspect: String };
  const world = { sdk, webhooks, ...moreEntries, farSide: await request.json(), runtime };
  const results = [];
  const parts = { client, faults, webhooks: webhookChecks, ...moreParts };
  for await (const result of runChecks(parts, world)) results.push(result);
  return Response.json(results);
}
