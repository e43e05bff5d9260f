import * as z from 'zod/mini';
import { phoneSchema } from '../contract/phone.js';

const wantedKey = 'must be an API key: printable ASCII characters without spaces';
const key = z.string(wantedKey).check(z.regex(/^[\x21-\x7e]+$/, wantedKey));

const url = z
  .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL', abort: true })
  .check(z.refine(hasNoCredentials, 'must hold no credentials'));

const baseUrl = url.check(
  z.refine((text) => !/[?#]/.test(text), 'must end with its path, as in https://messaging.example.com/api'),
);

const templateId = z.string('is missing').check(z.minLength(1, 'is missing'));

function milliseconds(least: number) {
  const wanted = `must be a number of milliseconds, ${least} or more`;
  return z.number(wanted).check(z.gte(least, wanted));
}

/** The schema of the options. */
export const optionsSchema = z.object({
  apiKey: key,
  otherApiKey: z.optional(key),
  exhaustedApiKey: z.optional(key),
  send: z.optional(z.object({ phone: phoneSchema, rejectedPhone: z.optional(phoneSchema), templateId })),
  timeout: z.optional(milliseconds(1)),
  deliveries: z.optional(
    z.object({
      wait: z.optional(milliseconds(0)),
      retryWait: z.optional(milliseconds(0)),
      url: z.optional(url),
    }),
  ),
  baseUrl,
  webhookUrl: z.optional(url),
});

function hasNoCredentials(text: string): boolean {
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
