import { undiciTransport } from 'messaging-automation/undici';
import { responseLimits } from '../client/support/response-limits.js';

responseLimits('undici', { transport: undiciTransport() });
