import { useState } from 'preact/hooks'
import { Button } from '../components/buttons.tsx'

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
export function Tour() {
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
      <div class="tour__head">
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
