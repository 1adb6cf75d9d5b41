import { colorSchemes, type Theme, type ColorScheme } from './theme.ts'
import { Icon } from './components/icons.tsx'

const schemeLabels: Record<ColorScheme, string> = { auto: 'as the system has it', light: 'light', dark: 'dark' }
const schemeIcons = { auto: 'contrast', light: 'sun', dark: 'moon' } as const

/** One button: as the system has it, light, dark, and round again. */
export function ThemeSwitch({ theme }: { theme: Theme }) {
  const current = theme.scheme.value
  const next = colorSchemes[(colorSchemes.indexOf(current) + 1) % colorSchemes.length]!
  return (
    <button
      type="button"
      class="icon-button"
      onClick={() => theme.setScheme(next)}
      aria-label={`Colours: ${schemeLabels[current]}. Change to ${schemeLabels[next]}.`}
      title={`Colours: ${schemeLabels[current]}`}
    >
      <Icon name={schemeIcons[current]} />
    </button>
  )
}
