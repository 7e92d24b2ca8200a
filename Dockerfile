# One image for every process of Dale: `start` (the gateway), `worker`, `migrate`, and any other verb of the command.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:24-bookworm-slim
# The configuration is mounted beside package.json, where `import … from 'dale-gateway'` finds this very package.
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/bin ./bin
COPY --from=build /app/locales ./locales
COPY --from=build /app/dist ./dist
# Without DATABASE_URL the embedded database lives here: mount a volume on it.
RUN install -d -o node -g node /app/.dale
USER node
EXPOSE 3000
ENTRYPOINT ["node", "bin/dale.js"]
CMD ["start"]
