import { answeredText } from '../../catalog/answered-text.ts'
import { humanizeName } from '../../catalog/field-title.ts'
import type { Point } from '../../model/place.ts'
import type { PageProps } from '../dashboard.ts'
import { Button } from '../components/buttons.tsx'
import { ErrorNotice } from '../components/notices.tsx'
import { showPlace } from './explore-query.ts'
import type { Pins } from './pins.tsx'
import { useState } from 'preact/hooks'

type NamedPlace = { key?: string; name: string; at: Point }

const examples: NamedPlace[] = [
  { name: 'Denver, Colorado', at: { lat: 39.7392, lng: -104.9903 } },
  { name: 'Miami Beach, Florida', at: { lat: 25.7907, lng: -80.13 } },
  { name: 'Paradise, California', at: { lat: 39.7596, lng: -121.6219 } },
  { name: 'Hilo, Hawaii', at: { lat: 19.7241, lng: -155.0868 } },
]

/** The start of the Explore page: what it does, a tour for the first visit, pinned places and example places. */
export function Welcome({ dashboard, pins }: PageProps & { pins: Pins }) {
  const catalog = dashboard.catalogStore.catalog.value
  const pinned = pins.items.flatMap(({ id, name, place }) => (place ? [{ key: id, name, at: place }] : []))
  return (
    <section class="welcome stack stack--3">
      <h2>What do you want to know about a place?</h2>
      <p>
        Click the map, or search for an address, a coordinate, a ZIP code, a county or a town. Each value comes with its
        source.
      </p>
      {catalog.status === 'loaded' && (
        <p class="welcome__answers">
          {answeredText(catalog.value, humanizeName)}{' '}
          <a href="/coverage">What answers where, and how to get the rest</a>
        </p>
      )}
      <Tour />
      {pins.error && <ErrorNotice error={pins.error} retry={pins.reload} />}
      {pinned.length > 0 && (
        <>
          <h3>Pinned places</h3>
          <PlaceList places={pinned} onChoose={({ name, at }) => showPlace(dashboard.router, at, name)} />
        </>
      )}
      <h3>Example places</h3>
      <PlaceList places={examples} onChoose={({ at }) => showPlace(dashboard.router, at, null)} />
      <h3>Supported formats</h3>
      <ul class="soft stack stack--2">
        <li>
          <code>1437 Bannock St, Denver, CO 80202</code>
        </li>
        <li>
          <code>39.7392, -104.9903</code>
        </li>
        <li>
          <code>39°44′21″N 104°59′25″W</code>
        </li>
        <li>
          <code>13S ED 00856 98900</code>, <code>85FQP2Q5+MV</code>
        </li>
        <li>
          <code>Bozeman MT</code>, <code>Boulder, Colorado</code>
        </li>
        <li>
          <code>80302</code>, <code>Boulder County, CO</code>
        </li>
        <li>
          <code>Denver International</code>, <code>JFK</code>
        </li>
      </ul>
    </section>
  )
}

function PlaceList({ places, onChoose }: { places: NamedPlace[]; onChoose: (place: NamedPlace) => void }) {
  return (
    <ul class="welcome__places stack stack--2">
      {places.map((place) => (
        <li key={place.key ?? place.name}>
          <Button look="plain" icon="pin" onClick={() => onChoose(place)}>
            {place.name}
          </Button>
        </li>
      ))}
    </ul>
  )
}

const storageKey = 'fieldstone.tour'
const dismissed = 'dismissed'

const steps = [
  {
    title: 'Find a place',
    text: 'Click the map, or type an address, a coordinate, a ZIP code or a town into the search box.',
  },
  {
    title: 'Choose what you want to know',
    text: 'Select a preset such as Flood risk, or choose single fields. Open a value to see its source and date, and its shape on the map.',
  },
  {
    title: 'Use the answer',
    text: 'Report makes a page to print or to save. Compare shows a second place beside the first. For a file with many places, open Runs.',
  },
] as const

/** A tour of three steps for the first visit. Once it is finished or closed, this browser does not show it again. */
function Tour() {
  const [isShown, setShown] = useState(() => !isDismissed())
  const [position, setPosition] = useState(0)
  if (!isShown) return null
  const { title, text } = steps[position]!
  const isLast = position === steps.length - 1
  const end = () => {
    dismiss()
    setShown(false)
  }
  return (
    <section class="card tour stack stack--2" aria-label="Tour">
      <div class="list-head">
        <span class="soft small">
          Step {position + 1} of {steps.length}
        </span>
        <Button look="icon" icon="close" aria-label="Close the tour for good" onClick={end} />
      </div>
      <div aria-live="polite">
        <h3>{title}</h3>
        <p>{text}</p>
      </div>
      <div class="row">
        <Button look="small" disabled={position === 0} onClick={() => setPosition(position - 1)}>
          Back
        </Button>
        <Button look="small main" onClick={isLast ? end : () => setPosition(position + 1)}>
          {isLast ? 'Done' : 'Next'}
        </Button>
      </div>
    </section>
  )
}

function isDismissed(): boolean {
  try {
    return window.localStorage.getItem(storageKey) === dismissed
  } catch {
    return true // Storage is blocked, so the tour could not be closed for good.
  }
}

function dismiss(): void {
  try {
    window.localStorage.setItem(storageKey, dismissed)
  } catch {
    // Storage was blocked after the tour was shown. It is closed until the page is loaded again.
  }
}
