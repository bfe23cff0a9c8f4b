#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks the dashboards against Grafana's own schema: @grafana/schema has it as TypeScript types, whose compiler rejects
# a property that is unknown, is missing or has another type. Dashboards, their panels and the panels' options are
# checked; the schema does not restrict queries, which the test `dashboards` executes. Needs npm and its registry,
# python3. Usage: dashboards.sh
set -eu
boards=$(realpath "$(dirname "$0")/../examples/grafana")
command -v npm >/dev/null || { echo "SKIPPED: no npm" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --no-audit --no-fund --loglevel=error @grafana/schema@13 typescript@7 >npm.log 2>&1 || { cat npm.log; exit 77; }
python3 - "$boards" <<'PY'
import glob, json, os, sys
for path in glob.glob(sys.argv[1] + '/*.json'):
    with open(path) as f:
        board = json.load(f)
    panels = board.pop('panels')
    lines = ["import type { Dashboard, Panel } from '@grafana/schema';",
             "import type { Options } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';",
             '// A value of an enumeration stands in a file as its text.',
             'type Text<T> = T extends string ? `${T}` : T extends object ? { [K in keyof T]: Text<T[K]> } : T;',
             f'export const board: Text<Dashboard> = {json.dumps(board)};']
    for i, panel in enumerate(panels):
        assert panel['type'] == 'timeseries', panel
        lines += [f"export const options{i}: Text<Partial<Options>> = {json.dumps(panel['options'])};",
                  f'export const panel{i}: Text<Panel> = {json.dumps(panel)};']
    with open(os.path.basename(path)[:-5].replace('-', '_') + '.ts', 'w') as f:
        f.write('\n'.join(lines) + '\n')
PY
echo '{"compilerOptions": {"strict": true, "noEmit": true, "module": "esnext", "moduleResolution": "bundler", "skipLibCheck": true,
       "types": []}, "include": ["*.ts"]}' >tsconfig.json
node_modules/.bin/tsc -p .
echo "dashboards: $(ls ./*.ts | wc -l) have the shape of @grafana/schema $(sed -n 's/^ *"version": "\(.*\)",/\1/p' node_modules/@grafana/schema/package.json)"
