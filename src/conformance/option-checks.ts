import { phonePattern } from '../contract/phone.js';
import { isObject } from '../foundation/is-object.js';
import {
  aClock,
  aFunction,
  aText,
  aWholeNumber,
  hasMethods,
  milliseconds,
  type OptionCheck,
  type OptionChecks,
  required,
  trueOrFalse,
} from '../foundation/options.js';

const aKey: OptionCheck = [
  (value) => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value),
  'an API key: printable ASCII characters without spaces',
];

const aUrl: OptionCheck = [isUrl, 'an absolute http or https URL without credentials'];

const aPhone: OptionCheck = [
  (value) => typeof value === 'string' && phonePattern.test(value),
  'a phone number in E.164, such as +15551234567',
];

/** What each option must be. */
export const optionChecks = {
  baseUrl: [
    (value) => isUrl(value) && !/[?#]/.test(String(value)),
    'an absolute http or https URL that ends with its path and has no credentials, as in https://messaging.example.com/api',
    'required',
  ],
  apiKey: required(aKey),
  otherApiKey: aKey,
  exhaustedApiKey: aKey,
  send: [isObject, 'an object'],
  'send.phone': required(aPhone),
  'send.templateId': required(aText),
  'send.variables': [isObject, 'an object'],
  'send.rejectedPhone': aPhone,
  'send.unapprovedTemplateId': aText,
  deliveries: [isObject, 'an object'],
  'deliveries.provoke': required(aFunction),
  'deliveries.url': aUrl,
  'deliveries.port': aWholeNumber(0),
  'deliveries.host': aText,
  'deliveries.wait': milliseconds(0),
  'deliveries.retryWait': milliseconds(0),
  'deliveries.lateAnswer': trueOrFalse,
  'deliveries.byHand': trueOrFalse,
  events: trueOrFalse,
  webhooks: trueOrFalse,
  webhookUrl: aUrl,
  timeout: milliseconds(1),
  fetch: aFunction,
  clock: aClock,
  newPhone: aFunction,
  onCheck: aFunction,
  signal: [hasMethods('addEventListener', 'throwIfAborted'), 'an AbortSignal'],
} satisfies OptionChecks;

function isUrl(value: unknown): boolean {
  if (typeof value !== 'string' || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
