// A CommonJS program that does the main job with nothing but the installed package.
const { MessagingAutomation, NotFoundError, verifyWebhook } = require('messaging-automation');
const { createReferenceServer } = require('messaging-automation/server');
const { signWebhook } = require('messaging-automation/webhooks');

async function main() {
  const server = createReferenceServer();
  const { baseUrl } = await server.listen({ port: 0 });
  const messaging = new MessagingAutomation({ apiKey: server.apiKey, baseUrl });

  const contact = await messaging.contacts.upsert({ phone: '+15551234567' });
  const refused = await messaging.contacts.get('contact_nobody').catch((error) => error);
  await server.close();

  const report = {
    phone: contact.properties.phone,
    refused: refused instanceof NotFoundError,
    verified: verifyWebhook('{}', signWebhook('{}', 'whsec_example'), 'whsec_example'),
  };
  process.stdout.write(JSON.stringify(report));
}

main();
