import { isRecord } from '../../src/model/record.ts'

const denver = { lat: 39.7392, lng: -104.9903 }

/** The tools and resources of the suite, and the ones of ours that behave as it expects. */
const tools: Record<string, { name: string; arguments: Record<string, unknown> }> = {
  test_simple_text: { name: 'find_fields', arguments: { query: 'county' } },
  test_error_handling: { name: 'fetch_fields', arguments: { lat: 51.5, lng: 0, fields: ['county'] } },
  test_tool_with_progress: { name: 'ask', arguments: { ...denver, question: 'Which county is this?' } },
}
const resources: Record<string, string> = { 'test://static-text': 'fieldstone://presets' }

/** A proxy that replaces the names of the suite with ours. It returns the responses unchanged. */
export function openRenamingProxy(to: string): { url: string; close(): Promise<void> } {
  const proxy = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 60,
    async fetch(request) {
      const headers = new Headers(request.headers)
      headers.delete('host')
      headers.delete('content-length')
      return fetch(to, {
        method: request.method,
        headers,
        ...(request.method === 'POST' && { body: renamed(await request.text()) }),
      })
    },
  })
  return { url: `http://127.0.0.1:${proxy.port}/mcp`, close: () => proxy.stop(true) }
}

function renamed(text: string): string {
  const message: unknown = JSON.parse(text)
  if (!isRecord(message) || !isRecord(message.params)) return text
  const { params } = message
  const tool = message.method === 'tools/call' ? tools[String(params.name)] : undefined
  const uri = message.method === 'resources/read' ? resources[String(params.uri)] : undefined
  return JSON.stringify({ ...message, params: { ...params, ...tool, ...(uri !== undefined && { uri }) } })
}
