import type { Point } from '../../model/place.ts'
import { Icon } from '../components/icons.tsx'
import type { PageProps } from '../dashboard.ts'

const examples: { text: string; place: string; at: Point }[] = [
  {
    text: 'What county is this in, how far is the coast, and which airport is nearest?',
    place: 'Miami Beach, Florida',
    at: { lat: 25.7907, lng: -80.13 },
  },
  {
    text: 'What time zone is it, and how far is the next town?',
    place: 'Moab, Utah',
    at: { lat: 38.5733, lng: -109.5498 },
  },
  { text: 'Could this house flood?', place: 'Paradise, California', at: { lat: 39.7596, lng: -121.6219 } },
  {
    text: 'How steep is the ground, and how high is it?',
    place: 'Boulder, Colorado',
    at: { lat: 40.015, lng: -105.2705 },
  },
]

/** Example questions, each with its place. */
export function AskExamples({ onAsk }: { onAsk: (text: string, at: Point, place: string) => void }) {
  return (
    <section class="ask-examples">
      <h2>Example questions</h2>
      <ul>
        {examples.map(({ text, place, at }) => (
          <li key={text}>
            <button type="button" class="ask-example" onClick={() => onAsk(text, at, place)}>
              <span>{text}</span>
              <span class="soft small">
                <Icon name="pin" /> {place}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Explains what can be asked. */
export function AskHint({ dashboard }: PageProps) {
  const catalog = dashboard.catalogStore.catalog.value
  const count = catalog.status === 'loaded' ? `${catalog.value.count} fields` : 'fields'
  return (
    <p class="ask-hint">
      Ask about one place at a time, in your own words. The answer is based on up to 15 of the {count} in the catalog of
      this server. Every number in the answer is one of the values shown beside it.
    </p>
  )
}
