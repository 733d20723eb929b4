/** What the benchmark uses of it; the package comes without types. */
declare module 'autocannon' {
  interface Request {
    method?: 'GET' | 'POST';
    path?: string;
    headers?: Record<string, string>;
    body?: string | Buffer;
    /** Makes the next request of a connection; `context` is that connection's. */
    setupRequest?: (request: Request, context: Record<string, unknown>) => Request;
    onResponse?: (status: number, body: string, context: Record<string, unknown>) => void;
  }
  interface Options {
    url: string;
    connections?: number;
    /** Requests under way on one connection. */
    pipelining?: number;
    /** Seconds. */
    duration?: number;
    /** Requests in all, instead of a duration. */
    amount?: number;
    requests?: Request[];
    headers?: Record<string, string>;
    /** Seconds until a request without an answer counts as failed. */
    timeout?: number;
  }
  interface Result {
    duration: number;
    errors: number;
    timeouts: number;
    '2xx': number;
    non2xx: number;
    latency: { p50: number; p90: number; p99: number; max: number };
    requests: { total: number };
  }
  export default function autocannon(options: Options): Promise<Result> & { stop(): void };
}
