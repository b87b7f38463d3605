import type { MatrixPart } from '../part.ts'

export const profilesPart: MatrixPart = {
  resources: {
    coder: { own: 'codex', missing: 'nobody', refused: 404 },
    coder_profile: { own: 'claude.hard', missing: 'claude.none', refused: 404 },
    coder_setting: { own: 'effort', missing: 'nothing', refused: 422 },
  },
  bodies: {
    'profiles.changeProfile': { effort: 'low' },
    'profiles.changeCoder': { available: true },
    'profiles.previewBuild': { desk: { coder: 'codex' } },
  },
  tenant_rows: `
    insert into profiles.overrides (brand_id, profile_key, effort) select id, 'claude.hard', 'low' from identity.brands;
    insert into profiles.closed_coders (brand_id, coder) select id, 'pi' from identity.brands;
    insert into profiles.changes (brand_id, profile_key, field, new_value, actor_user_id, actor_role)
    select id, 'claude.hard', 'effort', 'low', 1, 'brand_admin' from identity.brands`,
  empty_tables: ['profiles.changes', 'profiles.closed_coders', 'profiles.overrides'],
}
