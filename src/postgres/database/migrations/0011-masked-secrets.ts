/** Version 0.1.0 kept the secrets of subscriptions in the responses that the journal has. By their text, because users write the JSON. */
export const maskedSecrets = `
update :schema.journal
set entry = regexp_replace(entry::text, 'whsec_[[:alnum:]_+/=.-]+', 'whsec_***', 'g')::json
where left(entry::text, 17) = '{"type":"request"' and position('whsec_' in entry::text) > 0;
`;
