import { Agent } from './agent.ts';
import { readEnvironment } from './environment.ts';

const agent = new Agent(readEnvironment(process.env));
process.on('SIGTERM', () => agent.terminate());
void agent.run().then((code) => {
  process.exit(code);
});
