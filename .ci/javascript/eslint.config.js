// How the page's JavaScript is written: `make style` checks it, `make format` corrects what it can.

import js from "@eslint/js";
import stylistic from "@stylistic/eslint-plugin";

export default [
  js.configs.recommended,
  stylistic.configs.customize({
    arrowParens: true,
    braceStyle: "1tbs",
    commaDangle: "always-multiline",
    indent: 2,
    quotes: "double",
    semi: true,
  }),
  {
    rules: {
      eqeqeq: "error",
      "no-shadow": "error",
      "no-undef": "off", // TypeScript knows which names a browser has.
      "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      "@stylistic/max-len": ["error", { code: 100 }],
      "@stylistic/operator-linebreak": ["error", "before", { overrides: { "=": "after" } }],
      "@stylistic/quote-props": ["error", "as-needed"],
      // A long line is broken where it reads best, and not at each member of what it lists.
      "@stylistic/list-style": "off",
      "@stylistic/max-statements-per-line": "off",
      "@stylistic/multiline-ternary": "off",
    },
  },
];
