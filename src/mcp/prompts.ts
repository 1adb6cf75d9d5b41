import type { McpServer } from '@modelcontextprotocol/server'
import type { App } from '../app.ts'

/** Adds the prompts: one for each preset that one request may have, and one each to ask, to fetch and to look up. */
export function addPrompts(server: McpServer, { snapshot }: Pick<App, 'snapshot'>): void {
  const { catalog } = snapshot()
  const add = (name: string, title: string, description: string, text: string) =>
    server.registerPrompt(name, { title, description }, () => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    }))
  add(
    'ask',
    'Ask about a place',
    'A question about one US place, answered with sources.',
    'Ask me for a place in the United States and a question. Then call the tool ask, and answer with its text and citations.',
  )
  add(
    'fetch',
    'Fetch fields at a place',
    'Named fields at one US place.',
    `Ask me for a place in the United States and what I want to know. Find the fields with find_fields, read them with fetch_fields, and show each value with its unit and source. ${absenceRule}`,
  )
  add(
    'lookup',
    'Look up a place',
    'The jurisdictions, hazards and market data of one US place.',
    'Ask me for an address or a coordinate in the United States. Call lookup_location. If the disposition is clarify, let me choose a candidate; if it is no_match, tell me the reason.',
  )
  const fitting = [...catalog.presets].filter(([, { fields }]) => fields.length <= catalog.fieldsPerRequestMax)
  for (const [name, { reason, fields }] of fitting)
    add(
      name,
      name.replaceAll('_', ' '),
      reason,
      `Ask me for a place in the United States. Call fetch_fields with the preset ${name} (${fields.length} fields), and summarize the values with their units and sources. ${absenceRule}`,
    )
}

const absenceRule = 'A field that is absent has no value there; a field that failed is unknown, never absent.'
