// A worker that is a receiver, as one for the service to send to.
import * as webhooks from 'messaging-automation/webhooks';
import { fetchApp } from './receiver-app.mjs';

export default { fetch: fetchApp(webhooks) };
