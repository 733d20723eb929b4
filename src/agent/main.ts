import { Agent } from './agent.ts';
import { readAgentEnvironment } from './environment.ts';

const agent = new Agent(readAgentEnvironment(process.env));
process.on('SIGTERM', () => agent.terminate());
process.on('uncaughtException', (error) => {
  agent.crash(error);
  process.exit(1);
});
void agent.run().then((code) => {
  process.exit(code);
});
