/** An option of `checkConformance` that lets more be checked. */
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
