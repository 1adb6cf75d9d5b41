import { computed, signal, type ReadonlySignal } from '@preact/signals'
import type { UnitSystem } from '../ask/answer/display-units.ts'
import type { Router } from './router.ts'

/** Which units the page shows first. `?units=` in the URL wins over the choice that this browser remembers. */
export type UnitPreference = {
  readonly system: ReadonlySignal<UnitSystem>
  /** Remembers a choice and puts it into the URL, so that a link shows the same. */
  choose(system: UnitSystem): void
}

const storageKey = 'fieldstone.units'

export function createUnitPreference(window: Window, router: Router): UnitPreference {
  const remembered = signal<UnitSystem>(rememberedUnits(window))
  return {
    system: computed(() => parseUnitSystem(router.location.value.query.get('units')) ?? remembered.value),
    choose(system) {
      remembered.value = system
      try {
        window.localStorage.setItem(storageKey, system)
      } catch {
        // When storage is blocked, the choice lasts until the page is closed.
      }
      router.replaceQuery({ units: system })
    },
  }
}

function rememberedUnits(window: Window): UnitSystem {
  try {
    return parseUnitSystem(window.localStorage.getItem(storageKey)) ?? 'us'
  } catch {
    return 'us' // Storage is blocked, as above.
  }
}

function parseUnitSystem(text: string | null): UnitSystem | null {
  return text === 'us' || text === 'metric' ? text : null
}
