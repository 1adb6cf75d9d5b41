/** A span as the collector received it. */
export type SentSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Record<string, string> }[]
  status: { code?: number; message?: string }
}

/** An OTLP trace collector that records what it receives. */
export type Collector = { url: string; spans: SentSpan[]; bodies: string[]; close(): void }

/** Opens a collector; `answer` responds to a batch (default: 200). */
export function openCollector(answer: () => Response | Promise<Response> = () => Response.json({})): Collector {
  const spans: SentSpan[] = []
  const bodies: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/v1/traces': {
        POST: async (request) => {
          if (request.headers.get('content-type') !== 'application/json') return new Response(null, { status: 415 })
          const body = await request.text()
          bodies.push(body)
          const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }
          spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
          return answer()
        },
      },
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, spans, bodies, close: () => void server.stop(true) }
}

/** Returns the value of an attribute; undefined without it. */
export function attribute({ attributes }: SentSpan, name: string): string | undefined {
  return Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]
}
