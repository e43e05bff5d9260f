/** An option of `checkConformance` that makes further checks possible. */
export type OptionName =
  | 'otherApiKey'
  | 'exhaustedApiKey'
  | 'send'
  | 'send.variables'
  | 'send.unapprovedTemplateId'
  | 'send.rejectedPhone'
  | 'deliveries'
  | 'deliveries.retryWait'
  | 'events'
  | 'webhooks'
  | 'webhookUrl';
