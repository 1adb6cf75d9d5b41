import { colorSchemes, type Theme, type ColorScheme } from './theme.ts'
import { Icon } from './components/icons.tsx'

const schemeLabels: Record<ColorScheme, string> = { auto: 'system', light: 'light', dark: 'dark' }
const schemeIcons = { auto: 'contrast', light: 'sun', dark: 'moon' } as const

/** A button that cycles through the color schemes: system, light, dark. */
export function ThemeSwitch({ theme }: { theme: Theme }) {
  const current = theme.scheme.value
  const next = colorSchemes[(colorSchemes.indexOf(current) + 1) % colorSchemes.length]!
  return (
    <button
      type="button"
      class="icon-button"
      onClick={() => theme.setScheme(next)}
      aria-label={`Color scheme: ${schemeLabels[current]}. Change to ${schemeLabels[next]}.`}
      title={`Color scheme: ${schemeLabels[current]}`}
    >
      <Icon name={schemeIcons[current]} />
    </button>
  )
}
