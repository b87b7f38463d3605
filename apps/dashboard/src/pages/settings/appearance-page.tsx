import { chooseTheme, type Theme, themes, useTheme } from '../../app/theme.ts'
import { switchSingleKeys, useSingleKeys } from '../../shell/keys.ts'
import { classNames } from '../../ui/class-names.ts'
import { Switch } from '../../ui/switch.tsx'
import { SettingsLayout } from './settings-layout.tsx'

const names: Readonly<Record<Theme, string>> = { system: 'As the system', light: 'Light', dark: 'Dark' }

export function AppearancePage() {
  const theme = useTheme()
  const areOn = useSingleKeys()
  return (
    <SettingsLayout title="Appearance">
      <div className="flex max-w-160 flex-col gap-6">
        <fieldset>
          <legend className="mb-2 font-semibold text-section">Theme</legend>
          <div className="flex flex-wrap gap-2">
            {themes.map((each) => (
              <label
                key={each}
                className={classNames(
                  'flex h-[var(--ch-control-l)] items-center gap-2 rounded-control border bg-surface px-4 has-focus-visible:outline-2 has-focus-visible:outline-focus',
                  each === theme ? 'border-ink font-medium' : 'border-line-strong',
                )}
              >
                <input
                  type="radio"
                  name="theme"
                  className="accent-ink"
                  checked={each === theme}
                  onChange={() => chooseTheme(each)}
                />
                {names[each]}
              </label>
            ))}
          </div>
        </fieldset>
        <section>
          <h2 className="mb-2 font-semibold text-section">Keyboard</h2>
          <div className="flex items-center gap-4 rounded-card border border-line bg-surface px-4 py-3.5">
            <div className="grow">
              <h3 className="font-medium text-read">Single keys</h3>
              <p className="text-ink-2">
                Keys such as C, / and G then B. Switch them off if a program types them for you.
              </p>
            </div>
            <Switch label="Single keys" checked={areOn} onChange={switchSingleKeys} />
          </div>
        </section>
      </div>
    </SettingsLayout>
  )
}
