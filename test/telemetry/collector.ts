/** A span as it came in. */
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

/** A collector of traces; `answer` says what it does with a batch (200 without more). */
export type Collector = { url: string; spans: SentSpan[]; bodies: string[]; close(): void }

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

/** The value of an attribute of a span. */
export function attribute({ attributes }: SentSpan, name: string): string | undefined {
  return Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]
}
