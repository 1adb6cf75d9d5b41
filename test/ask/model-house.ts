import { openHouse, type House } from '../house.ts'
import { openMessagesApi, type MessagesApi } from './messages-api.ts'

export const key = 'sk-ant-test-secret-5f1e'
export const miami = { lat: 25.79, lng: -80.13 }
export const question = 'What county is this in, how far is the coast, and which airport is nearest?'

/** A house whose models are the stand-in, and that can reach nothing else. */
export function openModelHouse(env: Record<string, string> = {}): { api: MessagesApi; house: House; close(): void } {
  const api = openMessagesApi()
  const house = openHouse({ FIELDSTONE_OFFLINE: '0', FIELDSTONE_MIRROR: 'http://localhost:9', ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: api.url, ...env })
  return {
    api, house,
    close() {
      house.close()
      api.close()
    },
  }
}

/** The events of a stream, in order. */
export async function eventsOf(response: Response): Promise<{ event: string; data: Record<string, unknown> }[]> {
  const text = await response.text()
  return [...text.matchAll(/^event: (\w+)\nid: \d+\ndata: (.*)$/gm)].map(([, event, data]) => ({ event: event!, data: JSON.parse(data!) as Record<string, unknown> }))
}
