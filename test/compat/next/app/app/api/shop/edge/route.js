import { readTemplates, receive } from '../../../../messaging.js';

export const runtime = 'edge';
export const dynamic = 'force-dynamic';
export { readTemplates as GET, receive as POST };
