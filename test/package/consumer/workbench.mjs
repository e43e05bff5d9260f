// An ES module that shows the workbench of the installed package.
import { createReferenceServer } from 'messaging-automation/server';

async function main() {
  const server = createReferenceServer({ workbench: true });
  const { url } = await server.listen({ port: 0 });
  const report = [];
  for (const path of ['/', '/workbench/main.js', '/workbench/main.css']) {
    const response = await fetch(url + path);
    report.push({ path, status: response.status, isWhole: (await response.text()).length > 500 });
  }
  await server.close();
  process.stdout.write(JSON.stringify(report));
}

main();
